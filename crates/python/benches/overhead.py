"""What Python adds to a step: `step(1)` and reading positions of 20,812 vertices, beside the step as the engine measures it.

The clock of the engine runs inside of the step (`last_step["ms"]`); all else is what Python, the measurements of a report and
the copy of the positions add. Medians over the steps.

    python overhead.py [STEPS]
"""

import sys
import time

import numpy as np

import pliant


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    scene = pliant.Scene.builtin("twisting_bar", variant="21k")
    for measure in (False, None, True):
        world = scene.build(measure=measure)
        world.step(5)
        out = np.empty_like(world.positions())
        added = {"step(1)": [], "positions()": [], "positions(out=)": [], "set_pins": []}
        for _ in range(steps):
            start = time.perf_counter()
            world.step(1)
            stepped = time.perf_counter()
            world.positions()
            read = time.perf_counter()
            world.positions(out=out)
            filled = time.perf_counter()
            world.set_pins(world.pins[0], [0, 0, 0])
            steered = time.perf_counter()
            added["step(1)"].append((stepped - start) * 1e3 - world.last_step["ms"])
            added["positions()"].append((read - stepped) * 1e3)
            added["positions(out=)"].append((filled - read) * 1e3)
            added["set_pins"].append((steered - filled) * 1e3)
        print(f"{len(out)} vertices, measure={measure}, step {world.last_step['ms']:.2f} ms; added, ms:")
        for name, values in added.items():
            print(f"  {name:16s} median {np.median(values):.4f}   least {np.min(values):.4f}   mean {np.mean(values):.4f}")


if __name__ == "__main__":
    main()
