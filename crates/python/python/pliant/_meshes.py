"""Meshes: every generator, the mesher, and objects of meshio."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from . import _toml
from ._errors import MeshError
from ._native import Mesh, NativeScene


@runtime_checkable
class Meshio(Protocol):
    """An object of meshio, as far as it is needed."""

    points: Any
    cells_dict: Mapping[str, Any]


#: What is taken for a mesh: a :class:`Mesh`, an object of meshio, the name of a file, or a generator as in scene files.
MeshLike: TypeAlias = Mesh | Meshio | str | os.PathLike[str] | Mapping[str, Any]


def from_meshio(mesh: Meshio) -> Mesh:
    """The tets of an object of meshio, or its triangles if there are no tets; point sets become groups."""
    points = np.ascontiguousarray(mesh.points, dtype=np.float64)
    if points.ndim == 2 and points.shape[1] == 2:
        points = np.column_stack([points, np.zeros(len(points))])
    groups = {str(name): np.asarray(members).ravel() for name, members in getattr(mesh, "point_sets", {}).items()}
    cells = mesh.cells_dict
    if "tetra" in cells:
        return Mesh(points, tets=np.asarray(cells["tetra"], dtype=np.int64), groups=groups)
    if "triangle" in cells:
        return Mesh(points, triangles=np.asarray(cells["triangle"], dtype=np.int64), groups=groups)
    raise MeshError(f"the mesh has neither tets nor triangles, but {sorted(cells)}: convert it to linear elements")


def as_mesh(given: MeshLike) -> Any:
    """What a scene can hold for a mesh."""
    if isinstance(given, (Mesh, str, os.PathLike, Mapping)):
        return given
    if isinstance(given, Meshio):
        return from_meshio(given)
    raise TypeError(
        f"mesh: a {type(given).__name__} is no mesh: "
        "give a pliant.Mesh, an object of meshio, the name of a file or a generator"
    )


def generate(kind: str, **keys: Any) -> Mesh:
    """The mesh of any generator of scene files, by its kind and keys."""
    return _made({"kind": kind, **keys}, {})


def _made(generator: Mapping[str, Any], meshes: dict[str, Mesh]) -> Mesh:
    text = (
        'format = "pliant-scene"\nversion = 1\n[scene]\nname = "mesh"\nduration = 1\n'
        '[[body]]\nmaterial = { kind = "arap", youngs = 1, poisson = 0.3 }\n'
        f"mesh = {_toml.value(generator, 'mesh')}\n"
    )
    return NativeScene.parse("mesh", text, ".", meshes).mesh()


def block(size: ArrayLike, cells: Sequence[int], *, corners: ArrayLike | None = None) -> Mesh:
    """A box from the origin to ``size``, six tets in each cell; groups x_min, x_max, y_min, y_max, z_min, z_max."""
    return generate("block", size=size, cells=cells, corners=corners)


def beam(length: float, width: float, height: float, cells: Sequence[int]) -> Mesh:
    """A block by its length (x), width (y) and height (z)."""
    return generate("beam", length=length, width=width, height=height, cells=cells)


def ball(radius: float, cells: int) -> Mesh:
    """A solid ball about the origin; group surface."""
    return generate("ball", radius=radius, cells=cells)


def cylinder(
    radius: float, *, across: int, along: int, length: float | None = None, height: float | None = None
) -> Mesh:
    """A solid cylinder about z: centred with ``length``, from z = 0 with ``height``; groups bottom, top, side."""
    return generate("cylinder", radius=radius, length=length, height=height, across=across, along=along)


def torus(major: float, minor: float, *, around: int, across: int) -> Mesh:
    """A solid torus about z; group surface."""
    return generate("torus", major=major, minor=minor, around=around, across=across)


def cloth(size: ArrayLike, cells: int | Sequence[int]) -> Mesh:
    """A cloth from the origin to ``size`` in the plane z = 0; groups x_min, x_max, y_min, y_max."""
    return generate("cloth", size=size, cells=cells)


def sphere_surface(radius: float, subdivisions: int) -> Mesh:
    """The surface of a sphere; group surface."""
    return generate("sphere_surface", radius=radius, subdivisions=subdivisions)


def modelled(
    name: str,
    *,
    size: float = 1.0,
    vertices: int | None = None,
    tets: int | None = None,
    edge: float | None = None,
) -> Mesh:
    """A modelled body such as ``"armadillo"``, filled with tets. Exactly one of ``vertices``, ``tets``, ``edge``."""
    return generate("body", name=name, size=size, vertices=vertices, tets=tets, edge=edge)


def fill_shape(
    shape: Mapping[str, Any], *, vertices: int | None = None, tets: int | None = None, edge: float | None = None
) -> Mesh:
    """A body made of simple shapes, as in scene files, filled with tets."""
    return generate("shape", shape=shape, vertices=vertices, tets=tets, edge=edge)


def garment(shape: Mapping[str, Any], *, edge: float, open: Sequence[str] = ()) -> Mesh:
    """A cloth: the surface of a body made of simple shapes, without its groups ``open``."""
    return generate("garment", shape=shape, edge=edge, open=list(open))


def tetrahedralize(
    surface: Mesh | str | os.PathLike[str],
    *,
    vertices: int | None = None,
    tets: int | None = None,
    edge: float | None = None,
) -> Mesh:
    """The inside of a closed surface, filled with tets. Exactly one of ``vertices``, ``tets``, ``edge``."""
    file, meshes = (os.fspath(surface), {}) if not isinstance(surface, Mesh) else ("surface", {"surface": surface})
    keys = {"kind": "tetrahedralize", "file": file, "vertices": vertices, "tets": tets, "edge": edge}
    return _made(keys, meshes)
