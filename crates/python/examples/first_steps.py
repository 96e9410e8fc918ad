"""First steps: a cube is dropped, read, steered, copied, drawn.

    python first_steps.py
"""

from __future__ import annotations

import numpy as np

import pliant


def main() -> None:
    # A scene in code. The keys are those of scene files.
    scene = pliant.Scene("first_steps", duration=1.0)
    scene.add_body(
        pliant.block([0.1, 0.1, 0.1], [4, 4, 4]),
        name="cube",
        material=pliant.material("neo_hookean", youngs=2e5, poisson=0.4),
        transform={"translate": [0, 0, 0.02]},
    )
    scene.add_obstacle({"kind": "plane"}, name="floor", friction=0.5)
    world = scene.build()

    # It falls and rests with its weight.
    world.step(200)
    force, _ = world.contact_wrench("cube")
    weight = 9.81 * world.mass("cube")
    np.testing.assert_allclose(force, [0, 0, weight], atol=0.01 * weight)

    # Arrays are numpy's own, and stay as they were when the world goes on.
    x = world.positions("cube")
    assert x.shape == (125, 3) and world.stress("cube").shape == (384, 3, 3)

    # A copy tries something else: gravity to the side, until it slides.
    copy = world.clone()
    copy.set_gravity([9.81 * 0.6, 0, -9.81])
    copy.step(50)
    assert copy.center("cube")[0] - world.center("cube")[0] > 0.05
    np.testing.assert_array_equal(world.positions("cube"), x)

    # What a run would report, and a picture.
    report = world.report()
    assert report["verdict"] == "ok", report["warnings"]
    picture = world.render(320, 240, field="stress", marks=["forces"])
    assert picture.shape == (240, 320, 3)
    print(f"the cube weighs {weight:.2f} N, the floor carries {force[2]:.2f} N")


if __name__ == "__main__":
    main()
