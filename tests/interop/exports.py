"""What `pliant run --export` writes, opened by numpy, meshio, pyvista, USD, three.js and the validator of Khronos."""

import csv
import json
import math
import shutil
import subprocess
import xml.etree.ElementTree as xml
from pathlib import Path

import meshio
import numpy as np
import pyvista
from pxr import Usd, UsdGeom, UsdValidation

from common import read_obj

HERE = Path(__file__).parent
EVERY = 4
# Formats with single precision, for places of a size of 1 m.
SINGLE = 2e-7


class Exported:
    """A run with exports. What is compared with is the NPZ, which has all bits."""

    def __init__(self, pliant, path, scene, *options):
        self.path = path
        self.report = pliant.run(scene, "--out", path, *options)
        self.arrays = np.load(self.path / "npz" / "scene.npz", allow_pickle=False)
        self.times = self.arrays["times"]
        self.bodies = list(self.arrays["bodies"])
        self.body_names = list(self.arrays["body_names"])

    def surface(self, body):
        """What is seen of a body: positions (frames x vertices x 3) and triangles."""
        key = f"{body}/surface_positions"
        positions = self.arrays[key] if key in self.arrays else self.arrays[f"{body}/positions"]
        return positions, self.arrays[f"{body}/surface"]

    def corners(self, body, frame):
        """The places of the corners of the triangles that are seen of a body (triangles x 3 x 3)."""
        positions, triangles = self.surface(body)
        return positions[frame][triangles]

    def pose(self, obstacle, frame, points):
        """Points of an obstacle in the world."""
        matrix = self.arrays[f"{obstacle}/pose"][frame]
        return points @ matrix[:3, :3].T + matrix[:3, 3]

    def file(self, folder, index, frame, ending, suffix=""):
        """The file of a body and a frame."""
        name = f"{index}_{self.bodies[index]}{suffix}_{frame:06}.{ending}"
        return self.path / folder / name


def write_ball(path):
    """A sphere of radius 1, as the fine surface of a coarse body."""
    rings, around = 16, 24
    points = [(0, 0, -1)]
    for i in range(1, rings):
        a = math.pi * i / rings
        for j in range(around):
            b = 2 * math.pi * j / around
            points.append((math.sin(a) * math.cos(b), math.sin(a) * math.sin(b), -math.cos(a)))
    points.append((0, 0, 1))
    at = lambda i, j: 1 + (i - 1) * around + j % around
    triangles = []
    for j in range(around):
        triangles += [(0, at(1, j + 1), at(1, j)), (len(points) - 1, at(rings - 1, j), at(rings - 1, j + 1))]
        for i in range(1, rings - 1):
            triangles += [(at(i, j), at(i, j + 1), at(i + 1, j + 1)), (at(i, j), at(i + 1, j + 1), at(i + 1, j))]
    lines = [f"v {x!r} {y!r} {z!r}\n" for x, y, z in points]
    lines += [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in triangles]
    path.write_text("".join(lines))


def near(found, wanted, tolerance, what):
    """Asserts that two arrays have the same shape and nearly the same numbers."""
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape, f"{what}: shape {found.shape} instead of {wanted.shape}"
    off = np.abs(found - wanted).max(initial=0.0)
    assert off <= tolerance, f"{what}: off by {off:.3g}, allowed are {tolerance:.3g}"


def check(pliant, folder, node):
    """Yields a name and a function for each comparison."""
    source = folder / "exports"
    shutil.copytree(HERE / "exports", source)
    write_ball(source / "ball.obj")
    formats = "vtu,obj,ply,gltf,usd,npz"
    run = Exported(pliant, source / "run", source / "scene.toml", "--every", EVERY, "--export", formats)
    yield "npz: numpy opens it and it agrees with the report", lambda: npz_agrees(run)
    yield "vtu: meshio opens every frame", lambda: meshio_opens(run)
    yield "vtu: pyvista opens the index", lambda: pyvista_opens(run)
    yield "vtu: stress and contact agree with the report", lambda: fields_agree(run)
    yield "obj, ply: surfaces agree", lambda: surfaces_agree(run)
    yield "usd: pxr opens it", lambda: usd_agrees(run)
    yield "usd: its validators have nothing to say", lambda: usd_complies(run)
    yield "gltf: the validator has nothing to say", lambda: glb_is_valid(run, node)
    yield "gltf: three.js plays it", lambda: glb_plays(run, node)
    # Enough frames for a second piece, and nothing that moves but the body.
    long = Exported(pliant, source / "long", "drop", "--every", 1, "--steps", 140, "--export", "gltf,npz")
    yield "gltf: the validator has nothing to say about a long run", lambda: glb_is_valid(long, node)
    yield "gltf: three.js plays a long run", lambda: bodies_play(long, node)
    yield "csv: probes, energies and forces agree with the report", lambda: tables_agree(run)


def npz_agrees(run):
    arrays, report = run.arrays, run.report
    assert len(run.times) == 5 and run.body_names == [body["name"] for body in report["bodies"]]
    near(run.times[-1], report["simulated_s"], 0.0, "time")
    for key, body in zip(run.bodies, report["bodies"]):
        positions, tets = arrays[f"{key}/positions"], arrays[f"{key}/tets"]
        assert positions.shape == (5, body["vertices"], 3) and positions.dtype == np.float64
        assert len(tets) == body["elements"]
        # The mass of each vertex is a quarter of that of its tets at rest.
        rest = arrays[f"{key}/rest"][tets]
        volumes = np.abs(np.linalg.det(rest[:, 1:] - rest[:, :1])) / 6
        masses = np.zeros(body["vertices"])
        np.add.at(masses, tets.ravel(), np.repeat(volumes / 4, 4))
        for what, name in (("positions", "center"), ("velocities", "velocity")):
            mean = masses @ arrays[f"{key}/{what}"][-1] / masses.sum()
            near(mean, body[name], 1e-9, f"{name} of {key}")
    moved = np.abs(np.diff(arrays["soft_ball/positions"], axis=0)).max(axis=(1, 2))
    assert (moved > 1e-3).all(), "the ball does not move in every frame"
    sweeper = arrays["sweeper/pose"]
    near(sweeper[-1, :3, 3] - sweeper[0, :3, 3], [0.5 * 0.16, 0, 0], 1e-12, "way of the obstacle")
    near(sweeper[:, 3], np.tile([0, 0, 0, 1], (5, 1)), 0.0, "last row of a pose")


def meshio_opens(run):
    for index, body in enumerate(run.bodies):
        for frame in range(len(run.times)):
            mesh = meshio.read(run.file("vtu", index, frame, "vtu"))
            near(mesh.points, run.arrays[f"{body}/positions"][frame], 0.0, f"{body}, frame {frame}")
            near(mesh.cells_dict["tetra"], run.arrays[f"{body}/tets"], 0.0, f"tets of {body}")
            near(mesh.point_data["velocity"], run.arrays[f"{body}/velocities"][frame], 0.0, "velocity")
            rest = run.arrays[f"{body}/rest"]
            near(mesh.point_data["displacement"], mesh.points - rest, 0.0, "displacement")
            assert mesh.cell_data["stress"][0].shape == (len(run.arrays[f"{body}/tets"]), 9)
    fine = meshio.read(run.file("vtu", 0, 4, "vtu", "_surface"))
    near(fine.points, run.arrays["soft_ball/surface_positions"][4], 0.0, "fine surface")


def pyvista_opens(run):
    reader = pyvista.get_reader(run.path / "vtu" / "scene.pvd")
    near(reader.time_values, run.times, 0.0, "times of the index")
    for frame, time in enumerate(reader.time_values):
        reader.set_active_time_value(time)
        blocks = reader.read()
        # Two bodies, a fine surface, the contacts.
        assert len(blocks) == 4, f"{len(blocks)} blocks"
        for block, body in zip(blocks, run.bodies):
            near(block.points, run.arrays[f"{body}/positions"][frame], 0.0, f"{body}, frame {frame}")
            near(block.cells_dict[pyvista.CellType.TETRA], run.arrays[f"{body}/tets"], 0.0, f"tets of {body}")
        near(blocks[2].points, run.arrays["soft_ball/surface_positions"][frame], 0.0, "fine surface")
    # All files of the index are there, and no others.
    listed = {entry.get("file") for entry in xml.parse(run.path / "vtu" / "scene.pvd").iter("DataSet")}
    assert listed == {path.name for path in (run.path / "vtu").glob("*.vtu")}


def fields_agree(run):
    last = len(run.times) - 1
    contacts = pyvista.read(run.path / "vtu" / f"contacts_{last:06}.vtu")
    names = run.body_names + list(run.arrays["obstacle_names"])
    pairs = run.report["contact_pairs"]
    assert contacts.n_points == sum(pair["points"] for pair in pairs) > 0
    assert set(contacts["contact_state"]) <= {1, 2}
    near(np.linalg.norm(contacts["normal"], axis=1), np.ones(contacts.n_points), 1e-12, "length of normals")
    for pair in pairs:
        chosen = (contacts["on"] == names.index(pair["sides"][0])) & (contacts["by"] == names.index(pair["sides"][1]))
        near(contacts["force"][chosen].sum(axis=0), pair["force"], 1e-9, f"force of {pair['sides']}")
    for index, body in enumerate(run.report["bodies"]):
        grid = pyvista.read(run.file("vtu", index, last, "vtu"))
        # Single precision, and about 100 N.
        near(grid.point_data["contact_force"].sum(axis=0), body["contact_force"], 1e-3, "contact force")
        stress = grid.cell_data["stress"].reshape(-1, 3, 3).astype(float)
        near(stress, stress.transpose(0, 2, 1), 1e-5 * np.abs(stress).max(), "symmetry of stress")
        deviator = stress - np.trace(stress, axis1=1, axis2=2)[:, None, None] / 3 * np.eye(3)
        wanted = np.sqrt(1.5 * (deviator**2).sum(axis=(1, 2)))
        near(grid.cell_data["von_mises"], wanted, 1e-5 * wanted.max(), "von Mises stress")
        assert 0 < grid.point_data["von_mises"].max() <= wanted.max() * (1 + 1e-6)
        assert set(grid.cell_data["body"]) == {index}
    assert set(grid.cell_data["material"]) == {0, 1}, "the sheet has two materials"


def surfaces_agree(run):
    for index, body in enumerate(run.bodies):
        for frame in range(len(run.times)):
            wanted = run.corners(body, frame)
            obj = read_obj(run.file("obj", index, frame, "obj"))
            near(obj.points[obj.cells], wanted, 0.0, f"obj of {body}")
            ply = meshio.read(run.file("ply", index, frame, "ply"))
            near(ply.points[ply.cells_dict["triangle"]], wanted, SINGLE, f"ply of {body}")


def usd_agrees(run):
    stage = Usd.Stage.Open(str(run.path / "usd" / "scene.usda"))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1
    rate = stage.GetTimeCodesPerSecond()
    near(stage.GetEndTimeCode() / rate, run.times[-1], 1e-12, "end")
    root = stage.GetDefaultPrim().GetPath()
    for body in run.bodies:
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath(root.AppendChild(str(body))))
        codes = mesh.GetPointsAttr().GetTimeSamples()
        near(np.array(codes) / rate, run.times, 1e-12, "times")
        triangles = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
        assert set(mesh.GetFaceVertexCountsAttr().Get()) == {3}
        for frame, code in enumerate(codes):
            points = np.array(mesh.GetPointsAttr().Get(code))
            near(points[triangles], run.corners(body, frame), SINGLE, f"{body}, frame {frame}")
            near(mesh.GetExtentAttr().Get(code), [points.min(axis=0), points.max(axis=0)], SINGLE, "extent")
            assert len(mesh.GetVelocitiesAttr().Get(code)) == len(points)
    sheet = UsdGeom.Mesh(stage.GetPrimAtPath(root.AppendChild("sheet")))
    used = np.unique(run.arrays["sheet/surface"])
    near(sheet.GetVelocitiesAttr().Get(4), run.arrays["sheet/velocities"][4][used], 1e-5, "velocities")
    for name in run.arrays["obstacles"]:
        mesh = UsdGeom.Mesh(stage.GetPrimAtPath(root.AppendChild(str(name))))
        points = np.array(mesh.GetPointsAttr().Get(), dtype=float)
        for frame in range(len(run.times)):
            matrix = mesh.ComputeLocalToWorldTransform(Usd.TimeCode(frame))
            world = np.array([matrix.Transform(tuple(p)) for p in points[:50].tolist()])
            near(world, run.pose(name, frame, points[:50]), 1e-12, f"{name}, frame {frame}")
    tie = UsdGeom.BasisCurves(stage.GetPrimAtPath(root.AppendChild("tie")))
    near(tie.GetPointsAttr().Get(4), run.arrays["tie/positions"][4], SINGLE, "cable")


def usd_complies(run):
    stage = Usd.Stage.Open(str(run.path / "usd" / "scene.usda"))
    rules = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    assert len(rules) > 10, f"only {len(rules)} rules"
    said = UsdValidation.ValidationContext(rules).Validate(stage)
    assert not said, said[0].GetErrorAsString()


def glb(run, node, *arguments):
    """Runs the script in node, and gives its JSON."""
    command = ["node", str(node / "glb.mjs"), *map(str, arguments), str(run.path / "gltf" / "scene.glb")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def glb_is_valid(run, node):
    report = glb(run, node, "validate")
    assert report["issues"]["messages"] == [], report["issues"]["messages"][0]
    assert report["info"]["animationCount"] == 1 and report["info"]["hasMorphTargets"]


def bodies_play(run, node):
    """Bodies are where they are in the NPZ in every frame; gives all that is shown."""
    played = glb(run, node, "play", ",".join(repr(float(t)) for t in run.times))
    for frame, shown in enumerate(played):
        for body, name in zip(run.bodies, run.body_names):
            near(z_up(shown[name]), run.corners(body, frame), 2 * SINGLE, f"{name}, frame {frame}")
    return played


def glb_plays(run, node):
    for frame, shown in enumerate(bodies_play(run, node)):
        corners = run.arrays["sweeper/surface_positions"][run.arrays["sweeper/surface"]]
        wanted = run.pose("sweeper", frame, corners.reshape(-1, 3)).reshape(-1, 3, 3)
        near(z_up(shown["sweeper"]), wanted, 2 * SINGLE, f"sweeper, frame {frame}")
        near(z_up(shown["floor"])[..., 2], np.full((2, 3), -0.15), SINGLE, "floor")


def z_up(corners):
    """Corners of triangles from the axes of glTF to ours."""
    x, y, z = np.array(corners).reshape(-1, 3, 3).transpose(2, 0, 1)
    return np.stack([x, -z, y], axis=-1)


def tables_agree(run):
    rows = lambda name: list(csv.DictReader((run.path / name).open(newline="")))
    probes, energies, forces = (rows(f"{name}.csv") for name in ("probes", "energies", "forces"))
    assert len(probes) == run.report["steps"] + 1 and len(energies) == len(run.times)
    near([float(probes[-1][f"ball.{axis} [m]"]) for axis in "xyz"], run.report["probes"]["ball"]["last"], 0.0, "ball")
    near(float(probes[-1]["load [N]"]), run.report["probes"]["load"]["last"], 0.0, "load")
    for body in run.report["bodies"]:
        for kind in ("kinetic", "elastic"):
            energy = body[f"{kind}_energy"]
            near(float(energies[-1][f"{body['name']}.{kind} [J]"]), energy, 1e-7 * energy, f"{kind} energy")
    last = [row for row in forces if row["step"] == str(run.report["steps"])]
    of = lambda row: [float(row[f"{axis} [N]"]) for axis in "xyz"]
    for pair in run.report["contact_pairs"]:
        found = [row for row in last if row["kind"] == "contact" and [row["on"], row["by"]] == pair["sides"]]
        near([of(row) for row in found], [pair["force"]], 0.0, f"force of {pair['sides']}")
    near([of(row) for row in last if row["kind"] == "pin"], [pin["reaction"] for pin in run.report["pins"]], 0.0, "pins")
