"""A batch of 256 small worlds (`drop`: 343 vertices with contact) beside single worlds, and 25 cloths on spheres.

    python batch.py worlds [N] [STEPS]     # start-up, memory, steps per second with one and with all threads, hashes
    python batch.py separate [N]           # start-up and memory of as many separate builds, for comparison
    python batch.py cloth [STEPS]          # 25 worlds of cloth on a sphere, ms per step
"""

import os
import sys
import time

import pliant


def memory() -> float:
    """Memory of this process in MB."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def rates(batch: pliant.Batch, steps: int) -> tuple[float, float]:
    """World-steps per second of the clock, and of processor time, which other programs on the machine do not take."""
    start, used = time.perf_counter(), time.process_time()
    batch.step(steps)
    count = len(batch) * steps
    return count / (time.perf_counter() - start), count / (time.process_time() - used)


def worlds(n: int = 256, steps: int = 60) -> None:
    scene = pliant.Scene.builtin("drop").check()
    before, start = memory(), time.perf_counter()
    batch = pliant.Batch(scene, n)
    seconds, fresh = time.perf_counter() - start, memory() - before
    batch.step(180)
    used = memory() - before
    print(f"{n} worlds: built in {seconds:.3f} s, {fresh:.1f} MB; after 180 steps {used:.1f} MB")
    batch.reset()
    alone = pliant.Batch(scene, n, threads=1)
    # In turn, so that both see the same machine.
    found = [(*rates(alone, steps), *rates(batch, steps)) for _ in range(3)]
    one, one_used, all_threads, all_used = (sorted(column)[1] for column in zip(*found))
    single = scene.build()
    single.step(3 * steps)
    assert set(batch.state_hashes) == set(alone.state_hashes) == {single.state_hash}
    print(f"one thread {one:.0f} world-steps/s, {os.cpu_count()} threads {all_threads:.0f}: {all_threads / one:.2f}x")
    print(f"per second of processor time: {one_used:.0f} and {all_used:.0f}: threads cost {one_used / all_used - 1:.1%}")
    # Robots push all the time: what control costs in memory and time.
    start, before = time.perf_counter(), memory()
    for _ in range(10):
        batch.move_obstacle("ground", [0, 0, 0])
    print(f"move_obstacle: {(time.perf_counter() - start) / 10 / n * 1e6:.2f} us a world, {memory() - before:.1f} MB once")


def separate(n: int = 256) -> None:
    scene = pliant.Scene.builtin("drop").check()
    before, start = memory(), time.perf_counter()
    kept = [scene.build(threads=None, measure=False) for _ in range(n)]
    print(f"{len(kept)} separate builds: {time.perf_counter() - start:.3f} s, {memory() - before:.1f} MB")
    before = memory()
    for world in kept:
        world.step(180)
    print(f"after 180 steps {memory() - before:.1f} MB more")


def cloth(steps: int = 40) -> None:
    scene = pliant.Scene("cloth_on_sphere", dt=0.01)
    scene.add_body(
        pliant.cloth([0.6, 0.6], 22),  # 1,013 vertices
        name="cloth",
        material=pliant.material("neo_hookean", youngs=1e5, poisson=0.3),
        density=200.0,
        thickness=1e-3,
        bending={"kind": "isometric", "stiffness": 1e-5},
        self_contact=True,
        transform={"translate": [-0.3, -0.3, 0.16]},
    )
    scene.add_obstacle({"kind": "sphere", "radius": 0.15}, name="sphere", friction=0.4)
    batch = pliant.Batch(scene, 25)
    vertices = batch.positions().shape[0] * batch.positions().shape[1]
    batch.step(20)  # It lies on the sphere.
    times, used = [], time.process_time()
    for _ in range(steps):
        start = time.perf_counter()
        batch.step()
        times.append((time.perf_counter() - start) * 1e3)
    used = (time.process_time() - used) / steps * 1e3
    times.sort()
    median, cores = times[len(times) // 2], os.cpu_count()
    print(f"25 cloths, {vertices} vertices: {median:.1f} ms a step on {cores} cores, {used:.1f} ms of processor time")
    print(f"contacts of world 0: {len(batch.world(0).contacts())}")


if __name__ == "__main__":
    name, *numbers = sys.argv[1:] or ["worlds"]
    {"worlds": worlds, "separate": separate, "cloth": cloth}[name](*map(int, numbers))
