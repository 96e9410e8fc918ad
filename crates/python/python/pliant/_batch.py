"""Many worlds of one scene, stepped side by side."""

from __future__ import annotations

from ._native import Batch as NativeBatch
from ._scene import Scene


class Batch(NativeBatch):
    """``n`` independent worlds of a scene, stepped side by side over the cores.

    They start alike and share all that is prepared: the assembled system, the factor, the topology of detection. Friction,
    gravity, loads, poses and states can differ between them, and need no new factor. Arrays have one row for each world; a
    single row counts for all. Each world ends with the same bits as if it were stepped alone.
    """

    def __new__(cls, scene: Scene, n: int, *, threads: int | None = None) -> Batch:
        """With ``threads`` so many worlds are stepped at once; as many as there are cores if absent."""
        if not isinstance(scene, Scene):
            raise TypeError(f"Batch: a {type(scene).__name__} is no scene: give a pliant.Scene")
        return super().__new__(cls, scene._native(), n, threads)
