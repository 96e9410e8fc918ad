"""Wrong uses: each is a Python exception that says the cause and what to do; none harms the world."""

import numpy as np
import pytest

import pliant
from conftest import beam_scene, cube_scene

NAN = float("nan")
TETS = np.array([[0, 1, 2, 3]])
CORNERS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def block(**keys):
    return pliant.Scene("x").add_body(pliant.block([1, 1, 1], [1, 1, 1]), **{"material": pliant.material(), **keys})


def mesh(vertices=CORNERS, **elements):
    return pliant.Mesh(vertices, **(elements or {"tets": TETS}))


# What is done with a cube on a floor, the exception, and what it says: cause and remedy.
WORLD = {
    "unknown body": (lambda w: w.positions("cubee"), pliant.UnknownName, "no body `cubee`.*did you mean `cube`"),
    "unknown obstacle": (lambda w: w.move_obstacle("flor", [0, 0, 0]), pliant.UnknownName, "did you mean `floor`"),
    "unknown pin": (lambda w: w.set_pins("wall", [0, 0, 0]), pliant.UnknownName, "no pin `wall`"),
    "unknown probe": (lambda w: w.probe("forse"), pliant.UnknownName, "did you mean `force`"),
    "unknown cable": (lambda w: w.set_cable("c", pull=1), pliant.UnknownName, "no cable `c`"),
    "unknown force": (lambda w: w.set_force("f", [0, 0, 0]), pliant.UnknownName, "no force `f`"),
    "negative steps": (lambda w: w.step(-1), ValueError, "-1 steps: give 0 or more"),
    "half a step": (lambda w: w.step(0.5), TypeError, "float"),
    "out of other shape": (lambda w: w.positions(out=np.empty((5, 3))), ValueError, r"shape \(5, 3\).*\(27, 3\)"),
    "out of float32": (lambda w: w.positions(out=np.empty((27, 3), "f4")), TypeError, "float32.*float64"),
    "out in Fortran order": (
        lambda w: w.positions(out=np.empty((27, 3), order="F")),
        ValueError,
        "C order.*ascontiguousarray",
    ),
    "out that cannot be written": (
        lambda w: w.positions(out=np.broadcast_to(np.zeros((27, 3)), (27, 3))),
        ValueError,
        "cannot be written",
    ),
    "out that is a list": (lambda w: w.positions(out=[]), TypeError, "numpy array is wanted, not `list`"),
    "position of NaN": (lambda w: w.move_obstacle("floor", [0, NAN, 0]), ValueError, "not finite.*three finite"),
    "position of two": (lambda w: w.move_obstacle("floor", [0, 0]), ValueError, "2 components.*three"),
    "position of words": (lambda w: w.move_obstacle("floor", "here"), TypeError, "no vector.*three numbers"),
    "rotation that mirrors": (
        lambda w: w.move_obstacle("floor", rotation=np.diag([1.0, 1, -1])),
        pliant.ControlError,
        "without scale and mirror",
    ),
    "quaternion of zeros": (lambda w: w.move_obstacle("floor", rotation=[0, 0, 0, 0]), pliant.ControlError, "finite"),
    "negative friction": (lambda w: w.set_friction("floor", -1), pliant.ControlError, "0 or more"),
    "infinite gravity": (lambda w: w.set_gravity([0, 0, np.inf]), ValueError, "not finite"),
    "wind without air": (lambda w: w.set_wind([1, 0, 0]), pliant.ControlError, "no air"),
    "negative stiffness": (lambda w: w.set_material("cube", youngs=-1), pliant.ControlError, "youngs|Young"),
    "incompressible": (lambda w: w.set_material("cube", poisson=0.5), pliant.ControlError, "0.5"),
    "state of other size": (lambda w: w.set_state(np.zeros((3, 3))), ValueError, r"\(3, 3\).*\(27, 3\)"),
    "state of NaN": (lambda w: w.set_state(np.full((27, 3), NAN)), ValueError, "row 0 is not finite"),
    "state of float32": (lambda w: w.set_state(np.zeros((27, 3), "f4")), TypeError, "astype"),
    "bytes of nothing": (lambda w: w.restore(b""), pliant.SnapshotError, "."),
    "bytes of another world": (lambda w: w.restore(beam_scene().build().save()), pliant.SnapshotError, "another"),
    "a vertex that is not there": (lambda w: w.hold_vertex("cube", 99, [0, 0, 0], 1.0), ValueError, "99.*from 0"),
    "a hold without stiffness": (lambda w: w.hold_vertex("cube", 0, [0, 0, 0], 0.0), pliant.ControlError, "positive"),
    "a picture of no pixels": (lambda w: w.render(0, 10), ValueError, "1 to 8192"),
    "an unknown field": (lambda w: w.render(8, 8, field="stres"), ValueError, "did you mean `stress`"),
    "an eye without target": (lambda w: w.render(8, 8, eye=[0, 0, 1]), ValueError, "give both"),
    "a motion of a wrong kind": (
        lambda w: w.set_motion("floor", {"kind": "velocityy", "velocity": [0, 0, 0]}),
        pliant.SceneError,
        "did you mean `velocity`",
    ),
    "a motion that is a set": (lambda w: w.set_motion("floor", object()), TypeError, "cannot hold a object"),
    "a cable both ways": (lambda w: w.set_cable("c", pull=1, length=1), TypeError, "exactly one"),
}

OTHER = {
    "unknown scene": (lambda: pliant.Scene.builtin("twistin_bar"), pliant.SceneError, "did you mean `twisting_bar`"),
    "unknown file": (lambda: pliant.Scene.load("nothing.toml"), pliant.SceneError, "check the path"),
    "unknown parameter": (lambda: pliant.Scene.builtin("drop", frictoin=1), pliant.SceneError, "did you mean `friction`"),
    "unknown variant": (lambda: pliant.Scene.builtin("drop", variant="n7"), pliant.SceneError, "unknown variant"),
    "unknown solver": (lambda: pliant.Scene.builtin("drop", solver="newtn"), pliant.SceneError, "did you mean `newton`"),
    "unknown setting": (lambda: cube_scene().set_solver("newton", itrations=3).check(), pliant.SceneError, "did you mean"),
    "unknown argument": (lambda: block(densty=1), TypeError, "densty"),
    "unknown law": (lambda: block(material=pliant.material("rubber")).build(), pliant.SceneError, "arap"),
    "negative density": (lambda: block(density=-1.0).build(), pliant.SceneError, "density"),
    "density of NaN": (lambda: block(density=NAN).build(), pliant.SceneError, "density"),
    "pin of an unknown group": (lambda: block().add_pin("x_mim").build(), pliant.SceneError, "did you mean `x_min`"),
    "a scene without bodies": (lambda: pliant.Scene("empty").build(), pliant.SceneError, "body"),
    "no threads": (lambda: cube_scene().build(threads=0), ValueError, "1 to 1024"),
    "a mesh that is a number": (lambda: pliant.Scene("x").add_body(3, material={}), TypeError, "int is no mesh"),
    "vertices in two dimensions": (lambda: mesh(CORNERS[:, :2].copy()), ValueError, r"\(4, 2\).*\(n, 3\)"),
    "vertices of float32": (lambda: mesh(CORNERS.astype("f4")), TypeError, "float32.*astype"),
    "vertices in Fortran order": (lambda: mesh(np.asfortranarray(CORNERS)), ValueError, "C order"),
    "vertices of NaN": (lambda: mesh(np.where(CORNERS == 1, NAN, CORNERS)), ValueError, "not finite"),
    "vertices of words": (lambda: mesh([["a", "b", "c"]]), TypeError, "give numbers"),
    "tets of vertices that are not there": (lambda: mesh(tets=[[0, 1, 2, 9]]), ValueError, "vertex 9.*from 0"),
    "tets of negative numbers": (lambda: mesh(tets=[[0, 1, 2, -1]]), ValueError, "vertex -1"),
    "tets of floats": (lambda: mesh(tets=TETS.astype(float)), TypeError, "whole numbers"),
    "tets with three corners": (lambda: mesh(tets=[[0, 1, 2]]), ValueError, r"\(n, 4\)"),
    "a flat tet": (lambda: mesh(CORNERS * [1, 1, 0]), pliant.MeshError, "."),
    "neither tets nor triangles": (lambda: pliant.Mesh(CORNERS), TypeError, "give one of them"),
    "a group that is too large": (lambda: mesh(tets=TETS, groups={"a": [7]}), ValueError, "vertex 7"),
    "a mesh file that is not there": (lambda: pliant.Mesh.read("no.vtu"), pliant.MeshError, "no.vtu"),
    "a batch of no worlds": (lambda: pliant.Batch(cube_scene(), 0), ValueError, "0 worlds"),
    "a batch of a world": (lambda: pliant.Batch(cube_scene().build(), 2), TypeError, "World is no scene"),
    "values for other worlds": (
        lambda: pliant.Batch(cube_scene(), 2).set_friction("floor", [0.1, 0.2, 0.3]),
        ValueError,
        r"\(3,\).*\(2,\)",
    ),
    "a world beyond the batch": (lambda: pliant.Batch(cube_scene(), 2).world(2), ValueError, "no world 2"),
    "a sweep of nothing": (lambda: pliant.sweep(cube_scene(), {"scene.dt": []}), ValueError, "at least one"),
    "a sweep of a word": (lambda: pliant.sweep(cube_scene(), {"scene.dt": "0.1"}), TypeError, "no list"),
    "a sweep elsewhere": (lambda: pliant.sweep(cube_scene(), {"scene.dt": [0.1]}, backend="x"), ValueError, "'ray'"),
    "a run of no steps": (lambda: cube_scene().run("out", steps=0), ValueError, "1 or more"),
    "an unknown format": (lambda: cube_scene().run("out", export="vtk"), ValueError, "vtu"),
    "a report that was not measured": (
        lambda: cube_scene().build(measure=False).report(),
        pliant.PliantError,
        "measure=True",
    ),
    "a scene that was changed is saved": (
        lambda: cube_scene().set("scene.dt", 0.1).save("x.toml"),
        pliant.SceneError,
        "cannot hold",
    ),
}


@pytest.mark.parametrize("name", WORLD)
def test_a_world_refuses(name, cube):
    use, exception, message = WORLD[name]
    cube.step(2)
    before = cube.state_hash
    with pytest.raises(exception, match=f"(?s){message}"):
        use(cube)
    assert cube.state_hash == before
    cube.step(1)
    assert cube.steps == 3


@pytest.mark.parametrize("name", OTHER)
def test_it_refuses(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    use, exception, message = OTHER[name]
    with pytest.raises(exception, match=f"(?s){message}"):
        use()
    assert not list(tmp_path.iterdir())


def test_a_material_changes_as_a_whole_or_not_at_all(cube):
    with pytest.raises(pliant.ControlError):
        cube.set_material("cube", youngs=1e6, poisson=0.7)
    other = cube_scene().build()
    cube.step(20)
    other.step(20)
    assert cube.state_hash == other.state_hash


def test_a_closed_world_refuses_everything(cube):
    cube.close()
    for use in (cube.step, cube.positions, cube.save, cube.clone, cube.report, cube.contacts, cube.render):
        with pytest.raises(pliant.ClosedError, match="scene.build"):
            use()
