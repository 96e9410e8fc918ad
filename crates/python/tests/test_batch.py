"""Batches: the same bits as single worlds, values for each world."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import pliant
from conftest import beam_scene, cube_scene


def test_a_batch_gives_the_bits_of_single_worlds():
    scene = cube_scene(3)
    batch = pliant.Batch(scene, 5, threads=2)
    frictions = np.linspace(0.1, 0.9, 5)
    gravities = np.array([[g, 0, -9.81] for g in range(5)], dtype=float)
    batch.set_friction("floor", frictions)
    batch.set_gravity(gravities)
    assert batch.step(40).all()
    for i in range(5):
        world = scene.build()
        world.set_friction("floor", frictions[i])
        world.set_gravity(gravities[i])
        world.step(40)
        assert batch.state_hashes[i] == world.state_hash
        np.testing.assert_array_equal(batch.positions("cube")[i], world.positions("cube"))
        np.testing.assert_array_equal(batch.velocities()[i], world.velocities())
        np.testing.assert_allclose(batch.probe("force")[i], world.probe("force"))
        np.testing.assert_allclose(batch.contact_forces("floor")[i], world.contact_wrench("floor")[0], atol=1e-12)
        np.testing.assert_allclose(batch.contact_wrenches("cube")[i, :3], world.contact_wrench("cube")[0])
        np.testing.assert_array_equal(batch.centers("cube")[i], world.center("cube"))
    assert len(set(batch.state_hashes)) == 5


@pytest.mark.parametrize("solver", [s for s in pliant.solvers() if s != "free_flight"])
def test_every_solver_gives_the_same_bits_in_a_batch(solver):
    # Pins that let go: then the unknowns are others, and with them the solver.
    for name in ("twisting_bar", "released_cloth"):
        scene = pliant.Scene.builtin(name)
        if name == "twisting_bar":
            scene.set("body.0.mesh.cells", [3, 3, 6])
        else:
            scene.set("first", 0.02)
            scene.set("second", 0.04)
        try:
            world = scene.set_solver(solver).build(threads=1)
        except pliant.SceneError:
            continue  # Not every solver knows contact.
        batch = pliant.Batch(scene, 3, threads=2)
        for _ in range(3):
            batch.step(2)
            world.step(2)
            assert set(batch.state_hashes) == {world.state_hash}


def test_a_batch_needs_a_third_of_the_memory_of_separate_worlds():
    code = """if True:
        import os, sys, pliant
        def memory():
            return int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        scene = pliant.Scene.builtin("drop").check()
        warm = scene.build(measure=False, threads=1)
        warm.step(60)
        before = memory()
        if sys.argv[1] == "batch":
            kept = pliant.Batch(scene, 64, threads=2)
            kept.step(60)
        else:
            kept = [scene.build(measure=False) for _ in range(64)]
            for world in kept:
                world.step(60)
        print(memory() - before)
    """
    batch, separate = (
        int(subprocess.run([sys.executable, "-c", code, kind], check=True, capture_output=True, text=True).stdout)
        for kind in ("batch", "separate")
    )
    assert batch < separate / 3, f"{batch / 1e6:.1f} of {separate / 1e6:.1f} MB"


def test_threads_do_not_change_a_batch():
    hashes = []
    for threads in (1, 2, 3):
        batch = pliant.Batch(cube_scene(3), 4, threads=threads)
        batch.step(20)
        hashes.append(batch.state_hashes)
    assert hashes[0] == hashes[1] == hashes[2]


def test_worlds_are_reset_saved_and_looked_at():
    batch = pliant.Batch(cube_scene(), 3)
    start = batch.state_hashes[0]
    batch.step(10)
    assert (batch.steps == 10).all() and batch.times == pytest.approx([0.1] * 3)
    saved = batch.save(1)
    batch.reset([0, 2])
    assert [h == start for h in batch.state_hashes] == [True, False, True]
    batch.restore(2, saved)
    assert batch.state_hashes[1] == batch.state_hashes[2]
    look = batch.world(1)
    look.step(5)
    assert look.steps == 15 and batch.steps[1] == 10
    batch.reset()
    assert batch.state_hashes == [start] * 3
    assert len(batch) == 3 and "3 worlds" in repr(batch)


def test_loads_pins_and_states_differ_between_worlds():
    batch = pliant.Batch(beam_scene(), 3)
    batch.set_force("pull", [[1.0, 0, 0], [2.0, 0, 0], [3.0, 0, 0]])
    batch.step(300)
    stretch = batch.probe("tip")[:, 0] - 0.4
    # ARAP is linear here: the stretch follows the force.
    np.testing.assert_allclose(stretch / stretch[0], [1, 2, 3], rtol=0.02)
    batch.set_pins("wall", np.array([0.0, 0, 0.05]), indices=[1])
    batch.step(1)
    positions = batch.positions()
    held = positions[0, :, 0] < 1e-9
    np.testing.assert_allclose(positions[1, held, 2] - positions[0, held, 2], 0.05, atol=1e-12)
    batch.set_state(np.repeat(positions[:1], 3, axis=0))
    assert len(set(batch.state_hashes)) == 1


def test_a_world_that_fails_leaves_the_others_alone():
    batch = pliant.Batch(cube_scene(), 3)
    positions = batch.positions()
    positions[1] *= 1e200  # No step can be taken from there.
    batch.set_state(positions)
    good = batch.step(2, strict=False)
    assert list(good) == [True, False, True]
    assert set(batch.errors) == {1}
    assert list(batch.steps) == [2, 0, 2]
    with pytest.raises(pliant.StepError, match="world 1"):
        batch.step()
    batch.reset([1])
    assert batch.step().all()


def test_obstacles_move_in_each_world():
    batch = pliant.Batch(cube_scene(), 2)
    batch.move_obstacle("floor", [[0, 0, 0], [0, 0, 0.005]], rotation=[1, 0, 0, 0])
    batch.step(30)
    low = batch.positions()[:, :, 2].min(axis=1)
    np.testing.assert_allclose(low, [0, 0.005], atol=1e-4)


def test_a_busy_batch_refuses():
    batch = pliant.Batch(cube_scene(4), 8)
    thread = threading.Thread(target=batch.step, args=(300,))
    thread.start()
    refused = 0
    while thread.is_alive():
        try:
            batch.positions()
        except pliant.BusyError:
            refused += 1
    assert refused > 0
    batch.close()
    with pytest.raises(pliant.ClosedError):
        batch.step()
