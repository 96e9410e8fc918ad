"""Scenes and meshes: from code, files, arrays, meshio; the same results as the command line."""

import inspect
import json
import pickle
import subprocess

import meshio
import numpy as np
import pytest

import pliant
from conftest import beam_scene, cube_scene


def schema_keys(definition: str) -> set[str]:
    return set(pliant.schema()["$defs"][definition]["properties"])


@pytest.mark.parametrize(
    ("method", "definition"),
    [
        ("add_body", "Body"),
        ("add_obstacle", "Obstacle"),
        ("add_pin", "Pin"),
        ("add_force", "Force"),
        ("add_attachment", "Attachment"),
        ("add_cable", "Cable"),
        ("add_needle", "Needle"),
        ("add_probe", "Probe"),
        ("add_expect", "Expectation"),
        ("set_air", "Air"),
    ],
)
def test_every_key_of_scene_files_is_an_argument(method, definition):
    arguments = set(inspect.signature(getattr(pliant.Scene, method)).parameters) - {"self"}
    assert {name.rstrip("_") for name in arguments} == schema_keys(definition)


def test_every_key_of_the_scene_table_is_an_argument():
    arguments = set(inspect.signature(pliant.Scene).parameters) - {"parameters"}
    # These belong to files: where a scene comes from, its variants, and which of its steps is compared.
    assert arguments | {"source", "default_variant", "compare_step"} == schema_keys("Scene")


def test_every_generator_has_a_function():
    generator = pliant.schema()["$defs"]["Generator"]
    kinds = {one["properties"]["kind"]["const"] for one in generator["oneOf"]}
    names = {"body": "modelled", "shape": "fill_shape"}
    for kind in kinds:
        assert callable(getattr(pliant, names.get(kind, kind))), kind


def test_generators_make_meshes():
    cube = pliant.block([1, 2, 3], [1, 2, 3])
    assert cube.vertices.shape == (24, 3) and cube.elements.shape == (36, 4) and cube.is_solid
    assert set(cube.groups) == {"x_min", "x_max", "y_min", "y_max", "z_min", "z_max"}
    assert pliant.beam(1, 0.1, 0.1, [2, 1, 1]).vertices[:, 0].max() == 1
    assert len(pliant.ball(1, 4).groups["surface"]) > 10
    assert pliant.cylinder(1, height=2, across=2, along=2).vertices[:, 2].min() == 0
    assert pliant.torus(1, 0.2, around=8, across=2).is_solid
    cloth = pliant.cloth([1, 1], 3)
    assert cloth.elements.shape == (36, 3) and not cloth.is_solid
    sphere = pliant.sphere_surface(1.0, 2)
    np.testing.assert_allclose(np.linalg.norm(sphere.vertices, axis=1), 1, atol=1e-12)
    solid = pliant.tetrahedralize(sphere, vertices=200)
    assert solid.is_solid and solid.info()["vertices"] == len(solid.vertices)
    assert pliant.modelled("wooper", vertices=300).is_solid
    assert pliant.fill_shape({"sphere": {"center": [0, 0, 0], "radius": 0.5}}, edge=0.3).is_solid
    lid = {"name": "lid", "half_space": {"point": [0, 0, 0.3], "normal": [0, 0, 1]}}
    bowl = pliant.garment({"sphere": {"radius": 0.5}, "groups": [lid]}, edge=0.1, open=["lid"])
    assert not bowl.is_solid and bowl.vertices[:, 2].max() < 0.45


def test_a_mesh_comes_and_goes_by_arrays():
    made = pliant.block([1, 1, 1], [2, 2, 2])
    again = pliant.Mesh(made.vertices, tets=made.elements, groups=made.groups)
    np.testing.assert_array_equal(again.vertices, made.vertices)
    np.testing.assert_array_equal(again.elements, made.elements)
    copied = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(copied.elements, made.elements)
    assert list(copied.groups) == list(made.groups)
    turned = pliant.Mesh(made.vertices, tets=made.elements[:, [1, 0, 2, 3]])
    assert turned.info()["vertices"] == 27


def test_a_mesh_comes_from_meshio_and_files(tmp_path):
    made = pliant.block([1, 1, 1], [2, 2, 2])
    theirs = meshio.Mesh(made.vertices, [("tetra", made.elements.astype(np.int64))])
    theirs.write(tmp_path / "theirs.vtu")
    ours = pliant.Mesh.read(tmp_path / "theirs.vtu")
    np.testing.assert_array_equal(ours.vertices, made.vertices)
    hashes = set()
    for mesh in (made, theirs, str(tmp_path / "theirs.vtu"), tmp_path / "theirs.vtu"):
        scene = pliant.Scene("m").add_body(mesh, material=pliant.material())
        world = scene.build()
        world.step(3)
        hashes.add(world.state_hash)
    assert len(hashes) == 1
    flat = meshio.Mesh(np.array([[0.0, 0], [1, 0], [0, 1]]), [("triangle", np.array([[0, 1, 2]]))])
    assert pliant.from_meshio(flat).vertices.shape == (3, 3)


@pytest.mark.parametrize("solver", pliant.solvers())
def test_the_command_line_gives_the_same_hash(solver, command_line):
    ran = 0
    for name in ("drop", "cantilever", "stick_slide", "hinged_bar"):
        command = [command_line, "run", name, "--solver", solver, "--steps", "20", "--json", "--quiet"]
        theirs = subprocess.run(command, capture_output=True, text=True)
        if theirs.returncode == 2:
            # Some scenes are not for every solver; then both say the same.
            with pytest.raises(pliant.SceneError) as refused:
                pliant.Scene.builtin(name, solver=solver).build()
            assert str(refused.value) in theirs.stderr
            continue
        report = json.loads(theirs.stdout)
        world = pliant.Scene.builtin(name, solver=solver).build()
        world.step(20)
        assert world.solver == solver
        assert world.state_hash == report["state_hash"], name
        ours = {probe: values["last"] for probe, values in world.report()["probes"].items()}
        assert ours == {probe: values["last"] for probe, values in report["probes"].items()}
        ran += 1
    assert ran > 0


def test_a_run_leaves_the_directory_of_the_command_line(tmp_path, command_line):
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    report = pliant.Scene.builtin("free_fall", youngs=2e5).run(ours, steps=20, export=["vtu", "npz"])
    command = [command_line, "run", "free_fall", "--set", "youngs=200000.0", "--steps", "20", "--out", str(theirs)]
    subprocess.run([*command, "--export", "vtu,npz", "--quiet"], capture_output=True)
    names = lambda folder: sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))  # noqa: E731
    assert names(ours) == names(theirs)
    assert report["state_hash"] == json.loads((theirs / "report.json").read_text())["state_hash"]
    assert report == json.loads((ours / "report.json").read_text())
    for name in ("scene.toml", "frames.bin", "state.bin", "probes.csv"):
        assert (ours / name).read_bytes() == (theirs / name).read_bytes(), name


def test_a_coded_scene_is_saved_and_run_by_the_command_line(tmp_path, command_line):
    scene = cube_scene()
    file = scene.save(tmp_path / "cube.toml")
    ran = subprocess.run([command_line, "run", str(file), "--json", "--quiet"], capture_output=True, text=True)
    world = scene.build()
    world.step(world.total_steps)
    assert json.loads(ran.stdout)["state_hash"] == world.state_hash
    assert pliant.Scene.load(file).build().positions().shape == (27, 3)


def test_a_coded_scene_leaves_a_directory_that_runs_again(tmp_path, command_line):
    report = cube_scene().run(tmp_path / "run", seconds=0.2, checkpoint_every=10)
    assert report["steps"] == 20
    again = subprocess.run(
        [command_line, "run", str(tmp_path / "run" / "scene.toml"), "--steps", "20", "--json", "--quiet"],
        capture_output=True,
        text=True,
    )
    assert json.loads(again.stdout)["state_hash"] == report["state_hash"]
    # As if it had been stopped after its last checkpoint.
    (tmp_path / "run" / "report.json").unlink()
    subprocess.run([command_line, "resume", str(tmp_path / "run"), "--quiet"], capture_output=True, cwd="/")
    assert json.loads((tmp_path / "run" / "report.json").read_text())["state_hash"] == report["state_hash"]


def test_parameters_and_variants_change_a_scene():
    scene = pliant.Scene.builtin("stick_slide", friction=0.3)
    assert scene.parameters["friction"] == 0.3
    assert "slide" in scene.outline["probes"]
    scene.set("angle", 20).set("body.0.density", 500.0)
    assert scene.parameters["angle"] == 20
    copy = scene.copy().set("friction", 0.9)
    assert scene.parameters["friction"] == 0.3 and copy.parameters["friction"] == 0.9
    bar = pliant.Scene.builtin("twisting_bar", variant="11k")
    assert "21k" in bar.variants
    assert len(bar.build().positions()) > 10000
    assert pickle.loads(pickle.dumps(scene)).parameters == scene.parameters


def test_parameters_of_a_coded_scene():
    scene = pliant.Scene("p", parameters={"stiff": 1e5})
    scene.add_body(pliant.block([1, 1, 1], [1, 1, 1]), material={"kind": "arap", "youngs": "$stiff", "poisson": 0.3})
    assert scene.set("stiff", 2e5).parameters == {"stiff": 2e5}
    scene.check()


def test_names_of_scenes_and_solvers():
    assert "twisting_bar" in pliant.scenes()
    assert "newton" in pliant.solvers()
    assert "vtu" in pliant.formats()


def test_all_kinds_of_entries_build():
    scene = pliant.Scene("all", duration=0.1, dt=0.005, gravity=(0, 0, -1), seed=3)
    rubber = pliant.material("stable_neo_hookean", 1e5, 0.4)
    scene.add_body(pliant.block([0.4, 0.1, 0.1], [4, 1, 1]), name="arm", material=rubber, damping={"mass": 0.1})
    scene.add_body(
        pliant.block([0.1, 0.1, 0.1], [1, 1, 1]), name="hand", material=rubber, transform={"translate": [0.4, 0, 0]}
    )
    scene.add_body(
        pliant.cloth([0.2, 0.2], 3),
        name="sheet",
        material=pliant.material("arap", 1e4, 0.3),
        thickness=1e-3,
        bending={"kind": "isometric", "stiffness": 1e-6},
        transform={"translate": [0, 0, 0.5]},
    )
    scene.add_pin("x_min", name="wall", body="arm")
    scene.add_attachment({"body": "arm", "select": {"group": "x_max"}}, {"body": "hand", "select": {"group": "x_min"}})
    points = [{"body": "arm", "point": [x, 0.05, 0.1]} for x in (0.05, 0.2, 0.35)]
    scene.add_cable([{"fixed": [-0.1, 0.05, 0.1]}, *points], name="tendon", pull=0.0)
    scene.add_obstacle(pliant.sphere_surface(0.05, 1), name="ball", transform={"translate": [0, 0, -0.5]})
    scene.add_force(name="lift", body="sheet", total=[0, 0, 1e-4])
    scene.set_air(wind=[1, 0, 0])
    scene.add_probe("tension", "cable_tension")
    scene.add_expect("tension", ">=", 0)
    world = scene.build()
    world.step(2)
    world.set_cable("tendon", pull=0.5)
    world.set_wind([0, 3, 0])
    world.step(5)
    assert world.cable("tendon")[1] == pytest.approx(0.5, rel=1e-3)
    assert set(world.probes) == {"tension"}


def test_a_probe_is_added_to_a_built_in_scene():
    scene = pliant.Scene.builtin("drop").add_probe("where", "center", body=0)
    world = scene.build()
    assert world.probe("where").shape == (3,)


def test_control_moves_what_it_should(beam):
    beam.set_pins("wall", [0, 0, 0.01])
    beam.step(1)
    held = beam.start_positions()[:, 0] == 0
    moved = beam.positions() - beam.start_positions()
    np.testing.assert_allclose(moved[held], np.tile([0, 0, 0.01], (held.sum(), 1)), atol=1e-12)
    beam.set_motion("wall", {"kind": "velocity", "velocity": [1, 0, 0]})
    beam.step(10)
    moved = beam.positions() - beam.start_positions()
    np.testing.assert_allclose(moved[held].mean(axis=0), [0.1, 0, 0.01], atol=1e-9)
    hold = beam.hold_vertex("beam", 0, [0, 0, 1], 1.0)
    beam.move_hold(hold, [0, 0, 2])
    beam.step(2)
    assert beam.release(hold) and not beam.release(hold)


def test_an_obstacle_is_moved(cube):
    cube.move_obstacle("floor", [0, 0, 0.02])
    cube.step(40)
    np.testing.assert_allclose(cube.pose("floor")[0], [0, 0, 0.02], atol=1e-12)
    assert cube.positions()[:, 2].min() == pytest.approx(0.02, abs=1e-4)
    cube.move_obstacle("floor", rotation=[np.cos(0.1), np.sin(0.1), 0, 0])
    cube.step(1)
    np.testing.assert_allclose(cube.pose("floor")[1][:, 0], [1, 0, 0], atol=1e-12)
    cube.set_motion("floor", {"kind": "fixed"})
    cube.step(1)


def test_values_change_while_it_runs(cube):
    cube.set_friction("floor", 0.0)
    cube.set_friction("cube", 0.1)
    cube.set_gravity([1, 0, -9.81])
    cube.step(50)
    assert cube.velocities().mean(axis=0)[0] == pytest.approx(0.5, rel=0.05)
    cube.set_material("cube", youngs=1e6, poisson=0.3, density=500)
    cube.step(1)
    assert cube.mass("cube") == pytest.approx(0.5)
    cube.set_state(cube.start_positions("cube"))
    assert not cube.velocities().any()


def test_fast_turns_of_a_scene_in_code_give_the_scene_back():
    scene = beam_scene()
    assert scene.add_probe("e", "energy") is scene
    assert scene.set_solver("newton", iterations=5) is scene if "newton" in pliant.solvers() else True
    assert scene.outline["solver"] == "newton"
