"""Random uses of the package: any Python exception is fine, a crash of the interpreter or a panic is not.

A process of its own does the uses, with a journal of the last ones; if it dies, its seed is printed.

    python fuzz.py [SECONDS] [SEED]
"""

from __future__ import annotations

import inspect
import random
import subprocess
import sys
import time

import numpy as np

import pliant

ROUND = 20.0  # seconds that one process lives


def scene() -> pliant.Scene:
    made = pliant.Scene("fuzz", duration=0.1)
    made.add_body(pliant.block([0.1] * 3, [2] * 3), name="cube", material=pliant.material(youngs=1e5))
    made.add_body(
        pliant.cloth([0.1, 0.1], 2),
        name="sheet",
        material=pliant.material("arap", 1e4, 0.3),
        transform={"translate": [0, 0, 0.2]},
    )
    made.add_obstacle({"kind": "plane"}, name="floor", transform={"translate": [0, 0, -0.01]})
    made.add_pin("x_min", name="edge", body="sheet")
    made.add_force(name="push", body="cube", total=[0, 0, 0])
    points = [{"fixed": [-0.1, 0.05, 0.05]}, {"body": "cube", "point": [0.05, 0.05, 0.05]}]
    made.add_cable(points, name="cable", pull=0.0)
    made.add_probe("center", "center", body="cube")
    made.set_air(wind=[0, 0, 0])
    return made


NAMES = ["cube", "sheet", "floor", "edge", "push", "cable", "center", "", "nobody", "cube\0", "ü" * 50]
KEYS = ["kind", "velocity", "radius", "group", "index", "select", "body", "name", "axis", "frames", "time"]


def number(rng: random.Random):
    return rng.choice([0, 1, -1, 2, 0.5, 1e-9, 1e9, 1e308, -1e-308, float("nan"), float("inf"), 2**63, 7, 0.01])


def anything(rng: random.Random, worlds: list, depth: int = 0):
    kind = rng.randrange(14)
    if kind == 0:
        return rng.choice(NAMES)
    if kind == 1:
        return number(rng)
    if kind == 2:
        return [number(rng) for _ in range(rng.choice([0, 1, 2, 3, 3, 3, 4, 9]))]
    if kind == 3:
        shape = rng.choice([(36,), (27, 3), (40, 3), (3,), (4,), (0, 3), (2, 3), (3, 3), (2, 40, 3), (2,), (2, 4)])
        dtype = rng.choice(["f8", "f8", "f4", "i8", "u1", "c16", "?", "O"])
        array = np.full(shape, rng.choice([0, 1, 0.01])).astype(dtype)
        return rng.choice([array, np.asfortranarray(array), array[::-1], np.broadcast_to(array, array.shape)])
    if kind == 4:
        return None
    if kind == 5:
        return rng.choice([True, False, b"", b"\0" * 64, object(), int, ...])
    if kind == 6 and depth < 2:
        return {rng.choice(KEYS): anything(rng, worlds, depth + 1) for _ in range(rng.randrange(4))}
    if kind == 7:
        return rng.choice(worlds)
    if kind == 8:
        return rng.choice(["velocity", "x_min", "stress", "forces", "vtu", "newton", "block", "drop", "$x", "a.b.c"])
    if kind == 9:
        return {"kind": rng.choice(["velocity", "fixed", "sphere", "block"]), "velocity": [0, 0, number(rng)]}
    if kind == 10:
        return np.float64(number(rng)) if rng.random() < 0.5 else np.int32(3)
    if kind == 11:
        return [[0, 1, 2, 3], [1, 2, 3]]
    return rng.randrange(-2, 40)


# What opens browsers or writes files is left out; long runs are kept short.
SKIP = {"view", "run", "save_scene", "write", "sweep", "generate", "modelled", "fill_shape", "garment"}


def use(rng: random.Random, target, name: str, worlds: list) -> None:
    try:
        method = getattr(target, name)
    except pliant.PliantError:
        return
    if not callable(method):
        return
    try:
        parameters = list(inspect.signature(method).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    positional, named = [], {}
    for parameter in parameters[: rng.randrange(len(parameters) + 2)]:
        value = anything(rng, worlds)
        if parameter.name in ("n", "cells", "width", "height", "around", "across", "along", "vertices", "tets", "subdivisions"):
            value = rng.choice([value, 1, 2, 3]) if not isinstance(value, (int, float)) else rng.choice([-1, 0, 1, 2, 3, 0.5])
        if parameter.kind is parameter.KEYWORD_ONLY or rng.random() < 0.3 and parameter.kind is parameter.POSITIONAL_OR_KEYWORD:
            named[parameter.name] = value
        else:
            positional.append(value)
    try:
        method(*positional, **named)
    except Exception:  # noqa: BLE001: every exception is an answer
        pass


def play(seed: int, seconds: float) -> None:
    rng, end, count = random.Random(seed), time.monotonic() + seconds, 0
    base = scene()
    worlds = [base.build(), base.build(threads=1, measure=False), pliant.Batch(base, 2, threads=2)]
    while time.monotonic() < end:
        target = rng.choice([*worlds, *worlds, base.copy(), pliant, pliant.Mesh])
        names = [n for n in dir(target) if not n.startswith("_") and n not in SKIP]
        if isinstance(target, pliant.Scene):
            names = [n for n in names if n != "save"]
        use(rng, target, rng.choice(names), worlds)
        count += 1
        if rng.random() < 0.02:
            worlds[rng.randrange(2)] = base.build(threads=rng.choice([None, 1, 2]), measure=rng.random() < 0.5)
            worlds[2] = pliant.Batch(base, 2)
    print(count)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    end, uses = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        command = [sys.executable, __file__, "--play", str(seed), str(min(ROUND, seconds))]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=600)
        if ran.returncode != 0:
            print(f"seed {seed}: exit code {ran.returncode}\n{ran.stderr[-4000:]}")
            sys.exit(1)
        uses += int(ran.stdout.split()[-1])
        seed += 1
    print(f"{uses} uses in {seconds:.0f} s, seeds up to {seed - 1}: no crash, no panic")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--play"]:
        play(int(sys.argv[2]), float(sys.argv[3]))
    else:
        main()
