"""Sweeps: on local processes and on Ray, with workers that are killed."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest

import pliant
from conftest import cube_scene

GRID = {"friction": [0.1, 0.3], "angle": [10.0, 20.0]}


def slide() -> pliant.Scene:
    return pliant.Scene.builtin("stick_slide")


@pytest.fixture(scope="module")
def local() -> pliant.SweepTable:
    seen = []
    table = pliant.sweep(slide(), GRID, steps=40, workers=2, progress=lambda done, count: seen.append((done, count)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
    return table


def test_a_table_has_a_row_for_each_combination(local):
    assert [(row["friction"], row["angle"]) for row in local.rows] == [(0.1, 10), (0.1, 20), (0.3, 10), (0.3, 20)]
    assert local.columns[:4] == ["friction", "angle", "ok", "verdict"]
    world = pliant.Scene.builtin("stick_slide", friction=0.1, angle=20.0).build()
    world.step(40)
    assert local["slide"][1] == world.probe("slide")
    assert local.rows[1]["state_hash"] == world.state_hash
    assert local.csv().count("\n") == 5
    with pytest.raises(KeyError, match="slide"):
        local["slid"]


def test_a_scene_that_is_refused_has_a_row():
    table = pliant.sweep(cube_scene(), {"body.0.density": [1000.0, -1.0]}, steps=2, workers=1)
    assert list(table["verdict"]) == ["ok", "refused"]
    assert "density" in table.rows[1]["error"]


def parent(pid: int) -> int:
    # The name in parentheses may hold anything; state and parent follow it.
    return int((Path("/proc") / str(pid) / "stat").read_text().rpartition(")")[2].split()[1])


def processes(part: str) -> list[int]:
    """Processes that this test has started, or that those have, with this in their command or title. No others are looked at."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = parent(int(entry.name))
            except OSError:
                pass  # It has just ended.
    ours, new = set(), {os.getpid()}
    while new:
        new = {pid for pid, above in parents.items() if above in new}
        ours |= new
    found = []
    for pid in sorted(ours):
        try:
            if part.encode() in (Path("/proc") / str(pid) / "cmdline").read_bytes():
                found.append(pid)
        except OSError:
            pass
    return found


def kill_one(part: str, killed: list[int]) -> None:
    """Kills the first process of this kind while it works."""
    while not killed:
        for pid in processes(part):
            time.sleep(0.2)
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed.append(pid)
            return
        time.sleep(0.01)


def with_a_killed_worker(part: str, run) -> pliant.SweepTable:
    killed: list[int] = []
    killer = threading.Thread(target=kill_one, args=(part, killed), daemon=True)
    killer.start()
    table = run()
    assert killed, "no worker was killed"
    return table


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc")
def test_a_local_sweep_survives_a_killed_worker():
    long = pliant.sweep(slide(), GRID, steps=400, workers=2)
    table = with_a_killed_worker("pliant._worker", lambda: pliant.sweep(slide(), GRID, steps=400, workers=2))
    assert table == long


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc")
def test_a_sweep_on_ray_survives_a_killed_worker_and_gives_the_same_table(local):
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=100_000_000)
    try:
        assert pliant.sweep(slide(), GRID, steps=40, backend="ray") == local
        long = pliant.sweep(slide(), GRID, steps=400, workers=2)
        run = lambda: pliant.sweep(slide(), GRID, steps=400, backend="ray")  # noqa: E731
        assert with_a_killed_worker("ray::run_point", run) == long
    finally:
        ray.shutdown()


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="processes are looked for in /proc")
def test_a_worker_that_is_always_lost_ends_the_sweep():
    stop = threading.Event()

    def kill_all():
        while not stop.is_set():
            for pid in processes("pliant._worker"):
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            time.sleep(0.02)

    killer = threading.Thread(target=kill_all)
    killer.start()
    try:
        with pytest.raises(pliant.SweepError, match="was lost 2 times"):
            pliant.sweep(slide(), {"friction": [0.1]}, steps=2000, workers=1, retries=1)
    finally:
        stop.set()
        killer.join()
