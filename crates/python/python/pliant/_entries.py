"""The entries that a scene is made of, each with the keys of scene files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from . import _toml
from ._meshes import MeshLike, as_mesh
from ._native import Mesh, NativeScene

if TYPE_CHECKING:
    from typing_extensions import Self

#: Which vertices: the name of a group, a list of their numbers, or a table as in scene files.
Select: TypeAlias = str | Sequence[int] | np.ndarray | Mapping[str, Any]
#: A table as in scene files.
Table: TypeAlias = Mapping[str, Any]


class Entries:
    """The text of a scene, to which entries are added."""

    _text: str
    _meshes: dict[str, Mesh]
    _compiled: NativeScene | None

    def add_body(
        self,
        mesh: MeshLike,
        *,
        material: Table,
        name: str | None = None,
        surface: MeshLike | None = None,
        transform: Table | None = None,
        density: float | str | None = None,
        regions: Sequence[Table] | None = None,
        damping: Table | None = None,
        velocity: ArrayLike | None = None,
        angular_velocity: ArrayLike | None = None,
        thickness: float | str | None = None,
        bending: Table | None = None,
        friction: float | str | None = None,
        matchstick: Table | None = None,
        contact_radius: float | None = None,
        self_contact: bool | None = None,
        instances: Table | None = None,
        drag: float | None = None,
        lift: float | None = None,
    ) -> Self:
        """Adds a deformable body: a solid of tets or a cloth of triangles.

        ``mesh`` is a :class:`Mesh`, an object of meshio, the name of a file, or a generator such as ``{"kind": "block", "size":
        [1, 1, 1], "cells": [4, 4, 4]}``. ``transform`` puts it in place: ``{"scale": .., "rotate": {"axis": .., "degrees": ..},
        "translate": ..}``.
        """
        return self._add(
            "body",
            name=name,
            mesh=as_mesh(mesh),
            surface=None if surface is None else as_mesh(surface),
            transform=transform,
            density=density,
            material=material,
            regions=regions,
            damping=damping,
            velocity=velocity,
            angular_velocity=angular_velocity,
            thickness=thickness,
            bending=bending,
            friction=friction,
            matchstick=matchstick,
            contact_radius=contact_radius,
            self_contact=self_contact,
            instances=instances,
            drag=drag,
            lift=lift,
        )

    def add_obstacle(
        self,
        shape: Table | MeshLike,
        *,
        name: str | None = None,
        transform: Table | None = None,
        motion: Table | None = None,
        friction: float | str | None = None,
        matchstick: Table | None = None,
    ) -> Self:
        """Adds something rigid that bodies collide with.

        ``shape`` is a table such as ``{"kind": "sphere", "radius": 0.1}``, or a mesh. ``motion`` moves it, as in ``{"kind":
        "velocity", "velocity": [0, 0, -1]}``.
        """
        if not (isinstance(shape, Mapping) and "kind" in shape):
            shape = {"kind": "mesh", "mesh": as_mesh(shape)}
        return self._add(
            "obstacle",
            name=name,
            shape=shape,
            transform=transform,
            motion=motion,
            friction=friction,
            matchstick=matchstick,
        )

    def add_pin(
        self,
        select: Select,
        *,
        name: str | None = None,
        body: str | int | None = None,
        motion: Table | None = None,
        stiffness: float | str | None = None,
        compliance: float | str | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> Self:
        """Holds vertices, exactly or by springs, and moves them by a script."""
        return self._add(
            "pin",
            name=name,
            body=body,
            select=_select(select),
            motion=motion,
            stiffness=stiffness,
            compliance=compliance,
            start=start,
            stop=stop,
        )

    def add_force(
        self,
        *,
        name: str | None = None,
        body: str | int | None = None,
        kind: str | None = None,
        select: Select | None = None,
        total: ArrayLike | Sequence[Table] | str | None = None,
        value: float | Sequence[Table] | str | None = None,
        ramp: float | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> Self:
        """Adds a force of ``total`` N that selected vertices share, or with ``kind="pressure"`` a pressure of ``value`` Pa."""
        return self._add(
            "force",
            name=name,
            body=body,
            kind=kind,
            select=None if select is None else _select(select),
            total=total,
            value=value,
            ramp=ramp,
            start=start,
            stop=stop,
        )

    def add_attachment(
        self,
        from_: Table,
        to: Table,
        *,
        name: str | None = None,
        compliance: float | None = None,
        reach: float | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> Self:
        """Ties points of two bodies together, as in ``{"body": "a", "select": {"group": "x_max"}}``."""
        entries = {"name": name, "from": from_, "to": to, "compliance": compliance, "reach": reach}
        return self._add("attachment", **entries, start=start, stop=stop)

    def add_cable(
        self,
        points: Sequence[Table],
        *,
        name: str | None = None,
        length: float | Sequence[Table] | str | None = None,
        shorten: float | Sequence[Table] | str | None = None,
        pull: float | Sequence[Table] | str | None = None,
        compliance: float | None = None,
    ) -> Self:
        """Runs a cable through points; it is driven by its ``length`` in m, by how much it is shortened, or by a pull in N."""
        return self._add(
            "cable", name=name, points=points, length=length, shorten=shorten, pull=pull, compliance=compliance
        )

    def add_needle(
        self,
        end: ArrayLike,
        tip: ArrayLike,
        path: Sequence[ArrayLike],
        *,
        name: str | None = None,
        body: str | int | None = None,
        motion: Table | None = None,
        count: int | None = None,
        compliance: float | None = None,
        grip: float | None = None,
    ) -> Self:
        """Adds a rigid needle that goes through a body along ``path``."""
        return self._add(
            "needle",
            name=name,
            body=body,
            end=end,
            tip=tip,
            path=path,
            motion=motion,
            count=count,
            compliance=compliance,
            grip=grip,
        )

    def add_probe(
        self,
        name: str,
        what: str,
        *,
        body: str | int | None = None,
        obstacle: str | int | None = None,
        other: str | int | None = None,
        pin: str | int | None = None,
        cable: str | int | None = None,
        attachment: str | int | None = None,
        needle: str | int | None = None,
        select: Select | None = None,
        axis: str | ArrayLike | None = None,
        frame: str | int | None = None,
    ) -> Self:
        """Measures a quantity at every step, such as ``"center"``, ``"contact_force"``, ``"reaction"`` or ``"energy"``."""
        return self._add(
            "probe",
            name=name,
            what=what,
            body=body,
            obstacle=obstacle,
            other=other,
            pin=pin,
            cable=cable,
            attachment=attachment,
            needle=needle,
            select=None if select is None else _select(select),
            axis=axis,
            frame=frame,
        )

    def add_expect(
        self,
        what: str,
        op: str,
        value: float,
        *,
        tolerance: float | None = None,
        relative: bool | None = None,
        scope: str | None = None,
    ) -> Self:
        """States what must hold at the end of a run."""
        entries = {"what": what, "op": op, "value": value, "tolerance": tolerance}
        return self._add("expect", **entries, relative=relative, scope=scope)

    def set_air(
        self,
        *,
        density: float | None = None,
        wind: ArrayLike | Sequence[Table] | str | None = None,
        gusts: Table | None = None,
        drag: float | None = None,
        lift: float | None = None,
    ) -> Self:
        """Fills the scene with air; ``wind`` is in m/s."""
        entries = {"density": density, "wind": wind, "gusts": gusts, "drag": drag, "lift": lift}
        return self._append(_toml.table("[air]", entries))

    # Inside

    def _register(self, mesh: Mesh) -> str:
        for name, known in self._meshes.items():
            if known is mesh:
                return name
        name = f"mesh{len(self._meshes)}.vtu"
        self._meshes[name] = mesh
        return name

    def _add(self, kind: str, /, **entries: Any) -> Self:
        return self._append(_toml.table(f"[[{kind}]]", entries, self._register))

    def _append(self, table: str) -> Self:
        self._text = self._text.rstrip("\n") + "\n\n" + table
        self._compiled = None
        return self

def _select(given: Select) -> Any:
    if isinstance(given, str):
        return given if given.startswith("$") else {"group": given}
    if isinstance(given, Mapping):
        return given
    return {"index": given}
