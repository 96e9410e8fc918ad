"""Scenes: from files, by name, or built in code."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import _toml
from ._errors import SceneError
from ._meshes import MeshLike, as_mesh
from ._native import Mesh, NativeScene, World

#: Which vertices: the name of a group, a list of their numbers, or a table as in scene files.
Select = str | Sequence[int] | np.ndarray | Mapping[str, Any]
#: A table as in scene files.
Table = Mapping[str, Any]


def material(kind: str = "neo_hookean", youngs: float = 1e5, poisson: float = 0.4) -> dict[str, Any]:
    """A material: the word of its law, Young's modulus in Pa, Poisson's ratio."""
    return {"kind": kind, "youngs": youngs, "poisson": poisson}


class Scene:
    """What is simulated, and how.

    Built in code, entry by entry::

        scene = pliant.Scene("drop", duration=1.0)
        scene.add_body(pliant.block([0.1] * 3, [4] * 3), name="cube", material=pliant.material(youngs=2e5))
        scene.add_obstacle({"kind": "plane"}, name="floor", friction=0.5)
        world = scene.build()

    or read with :meth:`Scene.load` and :meth:`Scene.builtin`. The keys are those of scene files, which
    ``docs/book/scene-file.md`` explains; what is wrong is said when the scene is built or checked, with its place in
    :attr:`text`. Methods that change the scene give it back.
    """

    def __init__(
        self,
        name: str = "scene",
        *,
        duration: float = 1.0,
        dt: float | None = None,
        gravity: ArrayLike | None = None,
        parameters: Mapping[str, Any] | None = None,
        description: str | None = None,
        seed: int | None = None,
        contact_margin: float | None = None,
        settle: bool | None = None,
        push_apart: bool | None = None,
        camera: Table | None = None,
        lights: Sequence[Table] | None = None,
    ) -> None:
        """A scene without bodies.

        ``dt`` is the time step in s (0.01 if absent), ``gravity`` in m/s^2. ``parameters`` are named values that entries
        use as ``"$name"`` and that :meth:`set` and sweeps change. ``settle`` starts the bodies in equilibrium, ``push_apart``
        separates what overlaps at the start.
        """
        self._label = name
        self._directory = Path()
        self._meshes: dict[str, Mesh] = {}
        self._changes: list[tuple[str, str]] = []
        self._variant: str | None = None
        self._solver: str | None = None
        self._compiled: NativeScene | None = None
        about = {
            "name": name,
            "description": description,
            "duration": duration,
            "dt": dt,
            "gravity": gravity,
            "seed": seed,
            "contact_margin": contact_margin,
            "settle": settle,
            "push_apart": push_apart,
            "camera": camera,
            "lights": lights,
        }
        self._text = 'format = "pliant-scene"\nversion = 1\n\n' + _toml.table("[scene]", about)
        if parameters:
            self._text += "\n" + _toml.table("[parameters]", parameters)

    @classmethod
    def load(cls, path: str | os.PathLike[str], **changes: Any) -> Scene:
        """Reads a scene file, or a built-in scene by its name; ``changes`` as for :meth:`builtin`."""
        label = os.fspath(path)
        text, directory = NativeScene.read(label)
        return cls._of(label, text, directory)._change(changes)

    @classmethod
    def builtin(cls, name: str, **changes: Any) -> Scene:
        """A built-in scene; ``pliant.scenes()`` lists them.

        ``variant`` chooses a size or flavour of it, ``solver`` another solver; all else are its parameters, as in
        ``Scene.builtin("stick_slide", friction=0.3)``.
        """
        if name.endswith(".toml") or os.path.exists(name) and name not in _scene_names():
            raise SceneError(f"{name}: this is a file: use Scene.load")
        return cls.load(name, **changes)

    @classmethod
    def parse(cls, text: str, *, directory: str | os.PathLike[str] = ".", label: str = "scene") -> Scene:
        """A scene from the text of a scene file; mesh files are looked for in ``directory``."""
        return cls._of(label, text, Path(directory))._change({})

    @classmethod
    def _of(cls, label: str, text: str, directory: str | os.PathLike[str]) -> Scene:
        scene = cls(label)
        scene._text, scene._directory = text, Path(directory)
        return scene

    def _change(self, changes: Mapping[str, Any]) -> Scene:
        changes = dict(changes)
        if (variant := changes.pop("variant", None)) is not None:
            self.set_variant(variant)
        if (solver := changes.pop("solver", None)) is not None:
            self.set_solver(solver)
        for name, value in changes.items():
            self.set(name, value)
        self._native()
        return self

    # What there is

    @property
    def text(self) -> str:
        """The scene as the text of a scene file, without what :meth:`set` has changed."""
        return self._text

    @property
    def variants(self) -> list[str]:
        """Names of its variants."""
        return self._native().variants()

    @property
    def parameters(self) -> dict[str, Any]:
        """Its parameters with their values."""
        return json.loads(self._native().parameters())

    @property
    def outline(self) -> dict[str, Any]:
        """Description, source, solver and names of the probes; no mesh is made for it."""
        return json.loads(self._native().outline())

    def mesh(self, body: str | None = None) -> Mesh:
        """The mesh of a body as it is put in place; of the only one without a name."""
        return self._native().mesh(body)

    # What can be added

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
        contact_radius: float | None = None,
        self_contact: bool | None = None,
        instances: Table | None = None,
        drag: float | None = None,
        lift: float | None = None,
    ) -> Scene:
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
    ) -> Scene:
        """Adds something rigid that bodies collide with.

        ``shape`` is a table such as ``{"kind": "sphere", "radius": 0.1}``, or a mesh. ``motion`` moves it, as in ``{"kind":
        "velocity", "velocity": [0, 0, -1]}``.
        """
        if not (isinstance(shape, Mapping) and "kind" in shape):
            shape = {"kind": "mesh", "mesh": as_mesh(shape)}
        return self._add("obstacle", name=name, shape=shape, transform=transform, motion=motion, friction=friction)

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
    ) -> Scene:
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
    ) -> Scene:
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
    ) -> Scene:
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
    ) -> Scene:
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
    ) -> Scene:
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
    ) -> Scene:
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
    ) -> Scene:
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
    ) -> Scene:
        """Fills the scene with air; ``wind`` is in m/s."""
        entries = {"density": density, "wind": wind, "gusts": gusts, "drag": drag, "lift": lift}
        return self._append(_toml.table("[air]", entries))

    # What can be changed

    def set(self, name: str, value: Any) -> Scene:
        """Sets a parameter, or any value by its dotted path such as ``"body.0.material.youngs"``."""
        self._changes.append((name, _toml.value(value, name, self._register)))
        return self._checked(self._changes.pop)

    def set_variant(self, name: str) -> Scene:
        """Chooses a variant instead of the default one."""
        before, self._variant = self._variant, name
        return self._checked(lambda: setattr(self, "_variant", before))

    def set_solver(self, kind: str, **settings: Any) -> Scene:
        """Chooses a solver; ``pliant.solvers()`` lists them. Settings are those of ``[solver]`` in scene files."""
        before, self._solver = self._solver, kind
        self._checked(lambda: setattr(self, "_solver", before))
        for name, value in settings.items():
            self.set(f"solver.{name}", value)
        return self

    def copy(self) -> Scene:
        """A copy that can be changed by itself."""
        other = Scene.__new__(Scene)
        other.__dict__.update(self.__dict__)
        other._meshes, other._changes = dict(self._meshes), list(self._changes)
        return other

    # What can be done with it

    def check(self) -> Scene:
        """Checks everything short of running; raises :class:`SceneError` with all problems."""
        self._native().check()
        return self

    def build(self, *, threads: int | None = None, measure: bool = True) -> World:
        """Checks the scene, assembles it and prepares the solver.

        With ``threads`` the world gets threads of its own, which is what worlds need that are stepped in several Python
        threads at once; else all share one pool. Without ``measure`` nothing is recorded for the report, and steps are a
        little faster.
        """
        return self._native().build(threads, measure)

    def run(
        self,
        out: str | os.PathLike[str],
        *,
        steps: int | None = None,
        seconds: float | None = None,
        every: int | None = None,
        checkpoint_every: int | None = None,
        export: Iterable[str] | str = (),
        threads: int | None = None,
    ) -> dict[str, Any]:
        """Runs the scene to its end and leaves a directory as ``pliant run --out`` does. Gives the report."""
        if seconds is not None:
            if steps is not None:
                raise TypeError("run: both steps and seconds: give one of them")
            steps = self._steps_of(seconds)
        if steps is not None and steps < 1:
            raise ValueError(f"run: {steps} steps: give 1 or more")
        formats = [export] if isinstance(export, str) else list(export)
        report = self._native().run(Path(out), steps, every, checkpoint_every, formats, threads)
        return json.loads(report)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the scene to a file, and meshes that are not in files beside it. ``pliant run`` takes it."""
        self._native()
        if self._changes or self._variant or self._solver:
            raise SceneError("the scene was changed by set, which a file cannot hold: put the values into its text")
        target = Path(path)
        for name, mesh in self._meshes.items():
            mesh.write(target.parent / name)
        target.write_text(self._text, encoding="utf-8")
        return target

    # Inside

    def _steps_of(self, seconds: float) -> int:
        if not seconds > 0 or not np.isfinite(seconds):
            raise ValueError(f"run: {seconds} seconds: give a positive number")
        dt = self._native().dt()
        return max(1, int(np.ceil(seconds / dt * (1 - 1e-9))))

    def _register(self, mesh: Mesh) -> str:
        for name, known in self._meshes.items():
            if known is mesh:
                return name
        name = f"mesh{len(self._meshes)}.vtu"
        self._meshes[name] = mesh
        return name

    def _add(self, kind: str, /, **entries: Any) -> Scene:
        return self._append(_toml.table(f"[[{kind}]]", entries, self._register))

    def _append(self, table: str) -> Scene:
        self._text = self._text.rstrip("\n") + "\n\n" + table
        self._compiled = None
        return self

    def _checked(self, undo: Any) -> Scene:
        before, self._compiled = self._compiled, None
        try:
            self._native()
        except BaseException:
            undo()
            self._compiled = before
            raise
        return self

    def _native(self) -> NativeScene:
        if self._compiled is None:
            self._compiled = NativeScene.parse(
                self._label,
                self._text,
                self._directory,
                self._meshes,
                self._variant,
                self._solver,
                self._changes,
            )
        return self._compiled

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_compiled": None, "_directory": self._directory.absolute()}

    def __repr__(self) -> str:
        return f"<pliant.Scene `{self._label}`>"


def _select(given: Select) -> Any:
    if isinstance(given, str):
        return given if given.startswith("$") else {"group": given}
    if isinstance(given, Mapping):
        return given
    return {"index": given}


def _scene_names() -> list[str]:
    from ._native import scenes

    return scenes()
