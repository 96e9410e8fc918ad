"""Two worlds in two Python threads beside the same two one after the other.

    python threads.py [STEPS]

On a machine that others use too, the clock says little: then see how much of two cores was used while they ran side by side.
"""

import sys
import threading
import time

import pliant


def both(worlds: list, steps: int, parallel: bool) -> tuple[float, float]:
    """Seconds of the clock and of processor time."""
    start, used = time.perf_counter(), time.process_time()
    threads = [threading.Thread(target=world.step, args=(steps,)) for world in worlds]
    for thread in threads:
        thread.start()
        if not parallel:
            thread.join()
    for thread in threads:
        thread.join()
    return time.perf_counter() - start, time.process_time() - used


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    worlds = [pliant.Scene.builtin("twisting_bar", variant="5k").build(threads=1) for _ in range(2)]
    both(worlds, 5, True)
    found = [(*both(worlds, steps, False), *both(worlds, steps, True)) for _ in range(5)]
    one, one_used, two, two_used = (sorted(column)[2] for column in zip(*found))
    print(f"one after the other {one:.3f} s, side by side {two:.3f} s: {one / two:.2f}x")
    print(f"processor time {one_used:.3f} and {two_used:.3f} s: side by side {two_used / two:.2f} cores were used")
    assert worlds[0].state_hash == worlds[1].state_hash


if __name__ == "__main__":
    main()
