"""Exceptions. Each message says the cause, where, and what to do."""


class PliantError(Exception):
    """The base of all exceptions of Pliant."""


class SceneError(PliantError, ValueError):
    """A scene is not accepted: one line for each problem, with its place and a remedy."""


class MeshError(PliantError, ValueError):
    """A mesh cannot be read, written or used."""


class StepError(PliantError, RuntimeError):
    """A step failed. The world is at its last good state."""


class BusyError(PliantError, RuntimeError):
    """Another thread is using the world."""


class ClosedError(PliantError, ValueError):
    """The world was closed."""


class UnknownName(PliantError, LookupError):
    """There is no such body, obstacle, pin, cable, force or probe."""


class ControlError(PliantError, ValueError):
    """A value cannot be set so while the simulation runs."""


class SnapshotError(PliantError, ValueError):
    """The bytes are not those of a saved world of the same scene and solver."""


class SweepError(PliantError, RuntimeError):
    """Runs of a sweep were lost more often than they may be."""
