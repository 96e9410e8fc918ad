"""One run of a sweep, and the process that does runs for a local sweep.

A worker reads pickled points from its input and answers each with a pickled row. It dies with its input.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from typing import IO, Any

from ._errors import SceneError, StepError
from ._scene import Scene

#: Length of the message that follows.
HEAD = struct.Struct("<Q")


def run_point(scene: Scene, point: dict[str, Any], steps: int | None) -> dict[str, Any]:
    """Runs a scene with these values by one thread: the report, which of all its entries has no times."""
    try:
        changed = scene.copy()
        for name, value in point.items():
            changed.set(name, value)
        world = changed.build(threads=1)
    except SceneError as error:
        return {"verdict": "refused", "ok": False, "error": str(error), "probes": {}, "state_hash": None}
    try:
        world.step(world.total_steps if steps is None else steps)
    except StepError:
        pass  # The report says it.
    report = world.report()
    kept = ("verdict", "ok", "error", "probes", "state_hash", "steps", "simulated_s", "warnings", "expect", "bodies")
    return {key: report[key] for key in kept}


def send(stream: IO[bytes], message: Any) -> None:
    """Writes a message."""
    body = pickle.dumps(message)
    stream.write(HEAD.pack(len(body)) + body)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Reads a message; :class:`EOFError` if the other side has gone."""
    head = _exactly(stream, HEAD.size)
    return pickle.loads(_exactly(stream, HEAD.unpack(head)[0]))


def _exactly(stream: IO[bytes], count: int) -> bytes:
    body = stream.read(count)
    if len(body) < count:
        raise EOFError
    return body


def main() -> None:
    """Serves one sweep."""
    inbox, outbox = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # What a run prints must not be taken for a message.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        scene, steps = receive(inbox)
        while True:
            send(outbox, run_point(scene, receive(inbox), steps))
    except (EOFError, BrokenPipeError, KeyboardInterrupt):
        pass
