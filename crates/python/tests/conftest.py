"""What the tests share: small scenes that build in milliseconds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import pliant


def cube_scene(cells: int = 2, **about) -> pliant.Scene:
    """A soft cube just above a floor."""
    scene = pliant.Scene("cube", **about)
    scene.add_body(
        pliant.block([0.1] * 3, [cells] * 3),
        name="cube",
        material=pliant.material("neo_hookean", youngs=2e5, poisson=0.4),
        transform={"translate": [0, 0, 0.001]},
    )
    scene.add_obstacle({"kind": "plane"}, name="floor", friction=0.5)
    scene.add_probe("force", "contact_force", body="cube", obstacle="floor")
    return scene


def beam_scene() -> pliant.Scene:
    """A beam that is held at one end and pulled at the other."""
    scene = pliant.Scene("beam", gravity=[0, 0, 0])
    scene.add_body(
        pliant.block([0.4, 0.1, 0.1], [4, 1, 1]), name="beam", material=pliant.material("arap", youngs=1e5, poisson=0.3)
    )
    scene.add_pin("x_min", name="wall")
    scene.add_force(name="pull", select="x_max", total=[0, 0, 0])
    scene.add_probe("tip", "position", select="x_max")
    return scene


@pytest.fixture
def cube() -> pliant.World:
    return cube_scene().build()


@pytest.fixture
def beam() -> pliant.World:
    return beam_scene().build()


@pytest.fixture(scope="session")
def command_line() -> str:
    """The program `pliant`, with which results are compared."""
    path = os.environ.get("PLIANT")
    if not path:
        pytest.skip("PLIANT does not name the program pliant")
    return str(Path(path).resolve())
