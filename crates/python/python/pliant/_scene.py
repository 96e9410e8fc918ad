"""Scenes: from files, by name, or built in code."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from . import _toml
from ._entries import Entries, Table
from ._errors import SceneError
from ._native import Mesh, NativeScene, World, scenes


def material(kind: str = "neo_hookean", youngs: float = 1e5, poisson: float = 0.4) -> dict[str, Any]:
    """A material: the word of its law, Young's modulus in Pa, Poisson's ratio."""
    return {"kind": kind, "youngs": youngs, "poisson": poisson}


class Scene(Entries):
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
        if name.endswith(".toml") or os.path.exists(name) and name not in scenes():
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
        return cast(dict[str, Any], json.loads(self._native().parameters()))

    @property
    def outline(self) -> dict[str, Any]:
        """Description, source, solver and names of the probes; no mesh is made for it."""
        return cast(dict[str, Any], json.loads(self._native().outline()))

    def mesh(self, body: str | None = None) -> Mesh:
        """The mesh of a body as it is put in place; of the only one without a name."""
        return self._native().mesh(body)

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

    def build(self, *, threads: int | None = None, measure: bool | None = None) -> World:
        """Checks the scene, assembles it and prepares the solver.

        With ``threads`` the world gets threads of its own, which is what worlds need that are stepped in several Python
        threads at once; else all share one pool.

        For its report a world records probes, times, speeds, contacts and residuals after every step, and looks at its
        elements and energies ten times a simulated second and after every step that was out of the ordinary. With
        ``measure=True`` it looks at all after every step, as ``scene.run()`` and the command line do; with
        ``measure=False`` it records nothing and has no report.
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
        return cast(dict[str, Any], json.loads(report))

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
