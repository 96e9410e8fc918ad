"""Worlds: steps, arrays, forces, copies."""

import threading
import time

import numpy as np
import pytest

import pliant
from conftest import beam_scene, cube_scene


def test_a_cube_rests_with_its_weight(cube):
    cube.step(300)
    weight = cube.mass("cube") * 9.81
    force, torque = cube.contact_wrench("cube", about=cube.center("cube"))
    np.testing.assert_allclose(force, [0, 0, weight], atol=1e-3 * weight)
    np.testing.assert_allclose(torque, 0, atol=1e-3 * weight * 0.05)
    floor, _ = cube.contact_wrench("floor")
    np.testing.assert_allclose(floor, -force, atol=1e-12)
    np.testing.assert_allclose(cube.probe("force"), floor, atol=1e-12)
    contacts = cube.contacts()
    assert len(contacts) == len(contacts.points) > 3
    np.testing.assert_allclose(contacts.forces.sum(axis=0), force, atol=1e-9)
    np.testing.assert_allclose(contacts.normals, np.tile([0, 0, 1], (len(contacts), 1)), atol=1e-12)
    assert np.abs(contacts.gaps).max() < 1e-5
    assert contacts.sliding.dtype == bool
    assert set(contacts.first) == {"cube"} and set(contacts.second) == {"floor"}
    np.testing.assert_allclose(cube.contact_forces("cube").sum(axis=0), force, atol=1e-9)


def test_arrays_have_their_shapes(cube):
    n, m = 27, 48
    assert cube.positions().shape == cube.positions("cube").shape == (n, 3)
    assert cube.velocities("cube").shape == cube.start_positions("cube").shape == (n, 3)
    assert cube.elements("cube").shape == (m, 4)
    assert cube.surface("cube").shape == (48, 3)
    cube.step(5)
    assert cube.stress("cube").shape == (m, 3, 3)
    assert cube.strain("cube").shape == cube.von_mises("cube").shape == (m,)
    assert cube.positions().dtype == np.float64 and cube.positions().flags.c_contiguous
    assert (cube.bodies, cube.obstacles, cube.pins) == (["cube"], ["floor"], [])
    assert (cube.steps, cube.dt, cube.total_steps) == (5, 0.01, 100)
    assert cube.time == pytest.approx(0.05)
    position, rotation = cube.pose("floor")
    np.testing.assert_array_equal(rotation, np.eye(3))
    np.testing.assert_array_equal(position, np.zeros(3))


def test_stress_of_a_pulled_bar_is_force_over_area(beam):
    beam.set_force("pull", [1.0, 0, 0])
    beam.step(400)
    # In the middle of the bar, away from its ends: 1 N on 0.01 m^2.
    centers = beam.positions()[beam.elements()].mean(axis=1)
    middle = np.abs(centers[:, 0] - 0.25) < 0.06
    np.testing.assert_allclose(beam.stress()[middle, 0, 0].mean(), 100.0, rtol=0.02)
    force, torque = beam.pin_wrench("wall", about=[0, 0.05, 0.05])
    np.testing.assert_allclose(force, [-1, 0, 0], atol=1e-3)
    np.testing.assert_allclose(torque, 0, atol=1e-3)


def test_the_torque_of_a_pin_holds_a_lever(beam):
    beam.set_force("pull", [0, 0, 0.01])
    beam.step(1500)
    tip = beam.probe("tip")
    force, torque = beam.pin_wrench("wall")
    np.testing.assert_allclose(force, [0, 0, -0.01], atol=2e-5)
    np.testing.assert_allclose(torque, -np.cross(tip, [0, 0, 0.01]), atol=2e-5)


def test_positions_go_into_a_given_array(cube):
    out = np.empty((27, 3))
    assert cube.positions("cube", out=out) is out
    np.testing.assert_array_equal(out, cube.positions("cube"))
    assert cube.velocities(out=out) is out


def test_what_was_read_stays_as_it_was(cube):
    before = cube.positions("cube")
    kept = before.copy()
    cube.step(10)
    np.testing.assert_array_equal(before, kept)
    cube.close()
    del cube
    np.testing.assert_array_equal(before, kept)


def test_arrays_go_through_dlpack_without_a_copy(cube):
    positions = cube.positions("cube")
    taken = np.from_dlpack(positions)
    assert np.shares_memory(taken, positions)


@pytest.mark.parametrize("library", ["torch", "jax"])
def test_other_libraries_take_arrays_as_they_are(cube, library):
    module = pytest.importorskip(library)
    positions = cube.positions("cube")
    if library == "torch":
        taken = module.from_dlpack(positions)
        assert taken.data_ptr() == positions.ctypes.data
    else:
        module.config.update("jax_enable_x64", True)
        taken = module.dlpack.from_dlpack(positions)
    cube.step(5)
    np.testing.assert_array_equal(np.asarray(taken), positions)
    assert not np.array_equal(positions, cube.positions("cube")), "the world has gone on, the array has not"


def test_a_saved_world_continues_bit_for_bit(cube):
    cube.step(20)
    saved = cube.save()
    cube.step(30)
    end = cube.state_hash
    cube.restore(saved)
    assert cube.steps == 20
    cube.step(30)
    assert cube.state_hash == end
    other = cube_scene().build()
    other.restore(saved)
    other.step(30)
    assert other.state_hash == end


def test_a_clone_goes_on_by_itself(cube):
    cube.step(20)
    copy = cube.clone()
    copy.step(30)
    assert cube.steps == 20
    cube.step(30)
    assert copy.state_hash == cube.state_hash
    copy.set_gravity([0, 0, 0])
    copy.step(1)
    cube.step(1)
    assert copy.state_hash != cube.state_hash


def test_the_report_is_a_dict(cube):
    cube.step(100)
    report = cube.report()
    assert report["steps"] == 100 and report["verdict"] == "ok" and report["ok"]
    assert report["state_hash"] == cube.state_hash
    assert report["probes"]["force"]["last"] == pytest.approx(list(cube.probe("force")))


@pytest.mark.parametrize("measure", [None, True])
def test_a_world_that_is_torn_apart_says_so(measure):
    world = pliant.Scene.builtin("drop").build(measure=measure)
    world.step(20)
    assert world.report()["verdict"] == "ok"
    # A corner is pushed through the body: its tets are inverted, whoever looks.
    torn = world.positions()
    torn[0] += 3 * (torn.mean(axis=0) - torn[0])
    world.set_state(torn)
    world.step(2)
    report = world.report()
    assert report["verdict"] != "ok" and not report["ok"]
    assert report["warnings"], report


def test_a_world_that_is_watched_now_and_then_has_the_report_of_one_that_is_watched_closely():
    reports = []
    for measure in (None, True):
        world = pliant.Scene.builtin("drop").build(measure=measure)
        world.step(50)
        reports.append(world.report())
    light, full = reports
    assert light.keys() == full.keys()
    for key in ("verdict", "state_hash", "probes", "bodies", "inverted_elements", "residual", "contacts", "warnings"):
        assert light[key] == full[key], key


def test_threads_do_not_change_the_result():
    scene = pliant.Scene.builtin("twisting_bar")
    hashes = set()
    for threads in (1, 2, None):
        world = scene.build(threads=threads)
        world.step(5)
        hashes.add(world.state_hash)
    bare = scene.build(measure=False)
    bare.step(5)
    assert hashes == {bare.state_hash}


def test_two_threads_step_two_worlds():
    worlds = [cube_scene(6).build(threads=1, measure=False) for _ in range(2)]
    alone = cube_scene(6).build()
    alone.step(50)
    threads = [threading.Thread(target=world.step, args=(50,)) for world in worlds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {world.state_hash for world in worlds} == {alone.state_hash}


def test_a_busy_world_refuses_and_is_not_harmed():
    world = cube_scene(6).build()
    alone = world.clone()
    alone.step(400)
    thread = threading.Thread(target=world.step, args=(400,))
    thread.start()
    refused = 0
    while thread.is_alive():
        for use in (world.step, world.positions, world.save, world.clone, world.report, world.close):
            try:
                use()
            except pliant.BusyError as error:
                assert "another thread" in str(error)
                refused += 1
            except pliant.ClosedError:
                raise AssertionError("a busy world was closed")
            else:
                # It has just ended.
                thread.join()
                return
        time.sleep(0.001)
    assert refused > 0
    assert world.state_hash == alone.state_hash


def test_python_runs_while_a_world_steps():
    world = cube_scene(8).build()
    done = threading.Event()
    thread = threading.Thread(target=lambda: (world.step(100), done.set()))
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0)
    thread.join()
    assert turns > 10


def test_a_picture_shows_the_cube(cube):
    cube.step(2)
    picture = cube.render(160, 120)
    assert picture.shape == (120, 160, 3) and picture.dtype == np.uint8
    assert picture.std() > 5
    other = cube.render(160, 120, field="stress", marks=["contacts", "wireframe"], eye=[1, 1, 1], target=[0, 0, 0])
    assert (other != picture).any()


def test_a_world_closes_with_its_block():
    with cube_scene().build() as world:
        world.step()
    with pytest.raises(pliant.ClosedError, match="build another"):
        world.step()
    assert "closed" in repr(world)


def test_interrupts_end_a_long_step():
    import signal

    world = cube_scene(4).build()

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(KeyboardInterrupt):
            world.step(10**9)
    finally:
        signal.signal(signal.SIGALRM, before)
    steps = world.steps
    world.step(1)
    assert world.steps == steps + 1


def test_the_viewer_serves_the_world(cube):
    import urllib.request

    cube.step(3)
    viewer = cube.view(open=False, paused=True)
    with urllib.request.urlopen(viewer.url) as page:
        assert b"viewer.js" in page.read()
        # A notebook of this machine may show it.
        assert "frame-ancestors 'self' http://localhost:*" in page.headers["Content-Security-Policy"]
    assert viewer.url in viewer._repr_html_()
    viewer.close()
    assert not viewer.is_open
    with pytest.raises(OSError):
        urllib.request.urlopen(viewer.url, timeout=2)
    assert cube.steps == 3


def test_beams_by_scene_and_by_code_agree():
    coded = beam_scene()
    parsed = pliant.Scene.parse(coded.text.replace('"mesh0.vtu"', '{ kind = "block", size = [0.4, 0.1, 0.1], cells = [4, 1, 1] }'))
    one, two = coded.build(), parsed.build()
    one.step(10)
    two.step(10)
    assert one.state_hash == two.state_hash
