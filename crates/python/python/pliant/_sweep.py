"""Every combination of several values, on local processes or on a Ray cluster."""

from __future__ import annotations

import csv
import io
import itertools
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np

from ._errors import SweepError
from ._scene import Scene
from ._worker import receive, run_point, send

Point = dict[str, Any]
#: Called with the number of runs that have ended and of all.
Progress = Callable[[int, int], None]

#: Most runs of a sweep.
MOST = 1_000_000


class SweepTable:
    """The results of a sweep: a row for each run, in the order of the combinations.

    The columns are the values that were set, ``ok``, ``verdict``, the last value of every probe (vectors as ``name.x``,
    ``name.y``, ``name.z``), ``state_hash`` and ``error``. Two tables are equal if all rows are, bit for bit.
    """

    def __init__(self, points: Sequence[Point], reports: Sequence[Mapping[str, Any]]) -> None:
        #: What the runs reported.
        self.reports = list(reports)
        probes = dict.fromkeys(name for report in reports for name in _values(report))
        names = list(points[0]) if points else []
        #: Names of the columns.
        self.columns: list[str] = [*names, "ok", "verdict", *probes, "state_hash", "error"]
        #: A dict for each run.
        self.rows: list[dict[str, Any]] = []
        for point, report in zip(points, reports):
            own = _values(report)
            row = {**point, "ok": report["ok"], "verdict": report["verdict"]}
            row.update({name: own.get(name) for name in probes})
            self.rows.append({**row, "state_hash": report["state_hash"], "error": report["error"]})

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, column: str) -> np.ndarray:
        """A column as an array; NaN where a number is missing."""
        if column not in self.columns:
            raise KeyError(f"there is no column {column!r}: use one of {self.columns}")
        values = [row[column] for row in self.rows]
        numeric = all(value is None or isinstance(value, (int, float)) for value in values)
        if numeric and any(value is None for value in values) and any(value is not None for value in values):
            values = [np.nan if value is None else value for value in values]
        return np.array(values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SweepTable):
            return NotImplemented
        return self.columns == other.columns and self.rows == other.rows

    def csv(self) -> str:
        """The table as CSV."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(self.rows)
        return text.getvalue()

    def __repr__(self) -> str:
        return f"<pliant.SweepTable of {len(self)} runs, columns {', '.join(self.columns)}>"


def sweep(
    scene: Scene,
    grid: Mapping[str, Sequence[Any]],
    *,
    steps: int | None = None,
    backend: str = "local",
    workers: int | None = None,
    retries: int = 3,
    progress: Progress | None = None,
) -> SweepTable:
    """Runs the scene with every combination of the values of ``grid``, by one thread each.

    ``grid`` gives a list of values for each parameter or dotted path, as ``{"friction": [0.1, 0.2], "youngs": [1e5]}``.
    ``backend`` is ``"local"`` for processes of this machine, as many as ``workers`` or cores, or ``"ray"`` for the cluster that
    ``ray`` is connected to (this machine if it is not). A run whose worker is lost is repeated up to ``retries`` times, and
    gives the same bits. ``progress`` is called after each run with how many have ended, and of how many.
    """
    if not isinstance(scene, Scene):
        raise TypeError(f"sweep: a {type(scene).__name__} is no scene: give a pliant.Scene")
    points = _points(scene, grid)
    if retries < 0:
        raise ValueError(f"sweep: {retries} retries: give 0 or more")
    if workers is not None and workers < 1:
        raise ValueError(f"sweep: {workers} workers: give 1 or more")
    if steps is not None and steps < 1:
        raise ValueError(f"sweep: {steps} steps: give 1 or more")
    report = progress or (lambda done, count: None)
    if backend == "local":
        return SweepTable(points, _local(scene, points, steps, workers, retries, report))
    if backend == "ray":
        return SweepTable(points, _ray(scene, points, steps, workers, retries, report))
    raise ValueError(f"sweep: unknown backend {backend!r}: use 'local' or 'ray'")


def _points(scene: Scene, grid: Mapping[str, Sequence[Any]]) -> list[Point]:
    axes = {}
    for name, values in grid.items():
        if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
            raise TypeError(f"sweep: the values of {name!r} are no list: give [..]")
        axes[name] = [value.item() if isinstance(value, np.generic) else value for value in values]
        if not axes[name]:
            raise ValueError(f"sweep: there are no values for {name!r}: give at least one")
        scene.copy().set(name, axes[name][0])  # Refuses a name that the scene does not have.
    count = int(np.prod([float(len(values)) for values in axes.values()]))
    if count > MOST:
        raise ValueError(f"sweep: {count} runs, {MOST} are the most: give fewer values")
    return [dict(zip(axes, values)) for values in itertools.product(*axes.values())]


def _values(report: Mapping[str, Any]) -> dict[str, Any]:
    """The last values of all probes, vectors by component."""
    found: dict[str, Any] = {}
    for name, probe in report["probes"].items():
        last = probe["last"]
        if isinstance(last, list) and len(last) == 3:
            found.update({f"{name}.{axis}": value for axis, value in zip("xyz", last)})
        else:
            found[name] = last[0] if isinstance(last, list) else last
    return found


class _Worker:
    """A process that does runs."""

    def __init__(self, scene: Scene, steps: int | None) -> None:
        command = [sys.executable, "-c", "from pliant._worker import main; main()"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.process.stdin and self.process.stdout
        self.inbox, self.outbox = self.process.stdin, self.process.stdout
        send(self.inbox, (scene, steps))

    def run(self, point: Point) -> Mapping[str, Any]:
        send(self.inbox, point)
        return cast(Mapping[str, Any], receive(self.outbox))

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.inbox, self.outbox):
            try:
                pipe.close()
            except OSError:
                pass  # What was still to be sent is of no use any more.


def _local(
    scene: Scene, points: Sequence[Point], steps: int | None, workers: int | None, retries: int, progress: Progress
) -> list[Mapping[str, Any]]:
    reports: list[Any] = [None] * len(points)
    waiting: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()
    ended: queue.SimpleQueue[int | BaseException] = queue.SimpleQueue()
    for index in range(len(points)):
        waiting.put((index, 0))
    stop = threading.Event()
    alive: set[_Worker] = set()

    def serve() -> None:
        worker = None
        try:
            while not stop.is_set():
                try:
                    index, lost = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    if worker is None:
                        worker = _Worker(scene, steps)
                        alive.add(worker)
                    reports[index] = worker.run(points[index])
                    ended.put(index)
                except (EOFError, OSError):
                    if worker is not None:
                        worker.end()
                        alive.discard(worker)
                    worker = None
                    if stop.is_set():
                        return
                    if lost >= retries:
                        raise SweepError(_lost(points[index], retries)) from None
                    waiting.put((index, lost + 1))
        except BaseException as error:  # noqa: BLE001: the caller raises it
            ended.put(error)
        finally:
            if worker is not None:
                worker.end()
                alive.discard(worker)

    count = min(workers or os.cpu_count() or 1, len(points))
    threads = [threading.Thread(target=serve, daemon=True) for _ in range(count)]
    for thread in threads:
        thread.start()
    try:
        for done in range(len(points)):
            if isinstance(message := ended.get(), BaseException):
                raise message
            progress(done + 1, len(points))
    finally:
        stop.set()
        for worker in list(alive):
            worker.process.kill()
        for thread in threads:
            thread.join()
    return reports


def _lost(point: Point, retries: int) -> str:
    return f"the worker of {point} was lost {retries + 1} times: it may need more memory: use fewer workers"


def _ray(
    scene: Scene, points: Sequence[Point], steps: int | None, workers: int | None, retries: int, progress: Progress
) -> list[Mapping[str, Any]]:
    try:
        import ray
    except ImportError:
        raise ImportError("sweep: ray is not installed: pip install ray, or use backend='local'") from None
    if not ray.is_initialized():
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    # Ray repeats a task whose worker is lost.
    task = ray.remote(run_point).options(max_retries=retries, num_cpus=1)
    shared = ray.put(scene)
    references = [task.remote(shared, point, steps) for point in points]
    left, done = list(references), 0
    try:
        while left:
            ready, left = ray.wait(left, num_returns=1)
            ray.get(ready)
            done += len(ready)
            progress(done, len(points))
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError) as error:
        raise SweepError(f"a worker was lost more than {retries} times: {error}") from error
    except BaseException:
        for reference in left:
            ray.cancel(reference, force=True)
        raise
    return ray.get(references)
