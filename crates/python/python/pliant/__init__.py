"""Soft bodies and cloth with frictional contact, in real time on a CPU.

::

    import pliant

    world = pliant.Scene.builtin("drop").build()
    world.step(100)
    world.positions("cube")      # numpy, shape (n, 3)
    world.contacts().forces      # N

Units are SI, axes right-handed, z is up.
"""

import json
from typing import Any, cast

from . import _native
from ._errors import (
    BusyError,
    ClosedError,
    ControlError,
    MeshError,
    PliantError,
    SceneError,
    SnapshotError,
    StepError,
    SweepError,
    UnknownName,
)
from ._meshes import (
    ball,
    beam,
    block,
    cloth,
    cylinder,
    fill_shape,
    from_meshio,
    garment,
    generate,
    modelled,
    sphere_surface,
    tetrahedralize,
    torus,
)
from ._native import Batch, Contacts, Hold, Mesh, Viewer, World, __version__, formats, scenes, solvers
from ._scene import Scene, material
from ._sweep import SweepTable, sweep

__all__ = [
    "Batch",
    "BusyError",
    "ClosedError",
    "Contacts",
    "ControlError",
    "Hold",
    "Mesh",
    "MeshError",
    "PliantError",
    "Scene",
    "SceneError",
    "SnapshotError",
    "StepError",
    "SweepError",
    "SweepTable",
    "UnknownName",
    "Viewer",
    "World",
    "ball",
    "beam",
    "block",
    "cloth",
    "cylinder",
    "fill_shape",
    "formats",
    "from_meshio",
    "garment",
    "generate",
    "material",
    "modelled",
    "scenes",
    "schema",
    "solvers",
    "sphere_surface",
    "sweep",
    "tetrahedralize",
    "torus",
    "__version__",
]


def schema() -> dict[str, Any]:
    """The JSON Schema of scene files."""
    return cast(dict[str, Any], json.loads(_native.schema()))
