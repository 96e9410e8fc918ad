"""Identification: Young's modulus and friction from recorded forces.

A plate is laid on a soft block, pressed down, and then drawn sideways until the block slides under it. The normal force over the
depth tells how stiff the block is, the tangential force how rough the plate. The record is made here with known values and
noise of 1 %; scipy finds the values again, from a start that is far off.

    python identify.py
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import least_squares

import pliant

SIDE = 0.1
YOUNGS, FRICTION = 6e4, 0.35  # the truth
PRESS, DRAW = 20, 30  # steps


def experiment() -> pliant.World:
    """The block between floor and plate, ready to be pressed. The floor is rough, so that the block slides under the plate."""
    scene = pliant.Scene("identify", dt=0.01, gravity=[0, 0, 0])
    scene.add_body(
        pliant.block([SIDE] * 3, [3, 3, 3]),
        name="block",
        material=pliant.material("stable_neo_hookean", youngs=1e5, poisson=0.3),
        damping={"mass": 20.0},
    )
    scene.add_pin("z_min", name="glue")
    plate = {"translate": [SIDE / 2, SIDE / 2, SIDE + 0.01]}
    scene.add_obstacle({"kind": "box", "size": [0.5, 0.5, 0.02]}, name="plate", transform=plate, friction=0.5)
    return scene.build(threads=1, measure=False)


def record(world: pliant.World, youngs: float, friction: float) -> np.ndarray:
    """Forces on the plate, normal and tangential, at every step, N."""
    world = world.clone()
    world.set_material("block", youngs=youngs)
    world.set_friction("plate", friction)
    place = np.array([SIDE / 2, SIDE / 2, SIDE + 0.01])
    forces = []
    for step in range(PRESS + DRAW):
        place += [0, 0, -0.0005] if step < PRESS else [0.001, 0, 0]
        world.move_obstacle("plate", place)
        world.step()
        force, _ = world.contact_wrench("plate")
        forces.append([force[2], -force[0]])
    return np.array(forces)


def identify(measured: np.ndarray, world: pliant.World) -> np.ndarray:
    """Young's modulus and friction with which the simulation gives the record, by least squares."""
    scale = np.abs(measured).max()

    def residual(unknown: np.ndarray) -> np.ndarray:
        return ((record(world, np.exp(unknown[0]), unknown[1]) - measured) / scale).ravel()

    start = [np.log(2e5), 0.7]
    found = least_squares(residual, start, bounds=([np.log(1e3), 0.0], [np.log(1e7), 2.0]), diff_step=1e-3)
    return np.array([np.exp(found.x[0]), found.x[1]])


def main() -> None:
    world = experiment()
    truth = record(world, YOUNGS, FRICTION)
    assert truth[PRESS - 1, 0] > 1.0, "the plate presses"
    noise = np.random.default_rng(7).normal(0, 0.01 * np.abs(truth).max(), truth.shape)
    youngs, friction = identify(truth + noise, world)
    print(f"Young's modulus {youngs:.0f} Pa (true: {YOUNGS:.0f}), friction {friction:.4f} (true: {FRICTION})")
    assert abs(youngs / YOUNGS - 1) < 0.02, youngs
    assert abs(friction - FRICTION) < 0.02, friction


if __name__ == "__main__":
    main()
