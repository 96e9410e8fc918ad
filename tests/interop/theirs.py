"""What meshio and Gmsh write, opened by `pliant mesh`."""

import gmsh
import meshio

from common import same, same_places
from ours import current_model

# Name, ending and options of what meshio writes, and the distance that points may be off.
MESHIO_VOLUMES = [
    ("MSH 2.2 text", "msh", {"file_format": "gmsh22", "binary": False}, 0.0),
    ("MSH 2.2 binary", "msh", {"file_format": "gmsh22", "binary": True}, 0.0),
    ("MSH 4.1 text", "msh", {"file_format": "gmsh", "binary": False}, 0.0),
    ("MSH 4.1 binary", "msh", {"file_format": "gmsh", "binary": True}, 0.0),
    ("VTU text", "vtu", {"binary": False}, 1e-11),  # meshio writes 12 digits
    ("VTU base64", "vtu", {"binary": True, "compression": None}, 0.0),
    ("VTU zlib", "vtu", {"binary": True, "compression": "zlib"}, 0.0),
    ("VTK 5.1 text", "vtk", {"file_format": "vtk51", "binary": False}, 0.0),
    ("VTK 5.1 binary", "vtk", {"file_format": "vtk51", "binary": True}, 0.0),
    ("VTK 4.2 text", "vtk", {"file_format": "vtk42", "binary": False}, 0.0),
    ("VTK 4.2 binary", "vtk", {"file_format": "vtk42", "binary": True}, 0.0),
    ("MEDIT text", "mesh", {}, 0.0),
    ("TetGen", "node", {}, 0.0),
]
# What is refused, with a word of the remedy.
MESHIO_REFUSED = [
    ("VTU LZMA", "vtu", {"binary": True, "compression": "lzma"}, "zlib"),
    ("MEDIT binary", "meshb", {}, "ASCII"),
]
MESHIO_SURFACES = [
    ("OBJ", "obj", {}, 0.0),
    ("OFF", "off", {}, 0.0),
    ("PLY text", "ply", {"binary": False}, 0.0),
    ("PLY binary", "ply", {"binary": True}, 0.0),
    ("STL text", "stl", {"binary": False}, 0.0),
    ("STL binary", "stl", {"binary": True}, 1e-7),
    ("VTU zlib", "vtu", {}, 0.0),
    ("VTK binary", "vtk", {}, 0.0),
    ("MSH 4.1 binary", "msh", {"file_format": "gmsh"}, 0.0),
    ("MEDIT text", "mesh", {}, 0.0),
]
# Name, ending and settings of what Gmsh writes. Its texts have 15 or 16 digits, less than needed.
ROUNDED = 1e-13
GMSH_VOLUMES = [
    ("MSH 1", "msh", {"Mesh.MshFileVersion": 1.0}, ROUNDED),
    ("MSH 2.2 text", "msh", {"Mesh.MshFileVersion": 2.2}, ROUNDED),
    ("MSH 2.2 binary", "msh", {"Mesh.MshFileVersion": 2.2, "Mesh.Binary": 1}, 0.0),
    ("MSH 4.0 text", "msh", {"Mesh.MshFileVersion": 4.0}, ROUNDED),
    ("MSH 4.1 text", "msh", {"Mesh.MshFileVersion": 4.1}, ROUNDED),
    ("MSH 4.1 binary", "msh", {"Mesh.MshFileVersion": 4.1, "Mesh.Binary": 1}, 0.0),
    ("VTK text", "vtk", {}, ROUNDED),
    ("VTK binary", "vtk", {"Mesh.Binary": 1}, 0.0),
    ("MEDIT text", "mesh", {}, ROUNDED),
]
GROUPS = {"rubber", "steel", "clamped"}
GMSH_SURFACES = [
    ("STL text", "stl", {}, 1e-7),
    ("STL binary", "stl", {"Mesh.Binary": 1}, 1e-7),
    ("OFF", "off", {}, 1e-5),
    ("OBJ", "obj", {}, ROUNDED),
]


def check(pliant, volume, surface, folder):
    """Yields a name and a function for each writer and format."""
    for mesh, kind, formats in [(volume, "tetra", MESHIO_VOLUMES), (surface, "triangle", MESHIO_SURFACES)]:
        for i, (name, ending, options, tolerance) in enumerate(formats):
            path = folder / f"meshio-{kind}-{i}.{ending}"
            write = meshio.Mesh(mesh.points, [(kind, mesh.cells)]).write
            yield f"{name} of meshio, {kind}", lambda p=path, m=mesh, o=options, t=tolerance, w=write: (
                w(p, **o),
                compare(p)(pliant.read(p), m, t),
            )
    for i, (name, ending, options, remedy) in enumerate(MESHIO_REFUSED):
        path = folder / f"meshio-refused-{i}.{ending}"
        write = meshio.Mesh(volume.points, [("tetra", volume.cells)]).write
        yield f"{name} of meshio is refused", lambda p=path, o=options, r=remedy, w=write: (
            w(p, **o),
            refused(pliant, p, r),
        )
    yield from check_gmsh(pliant, folder)


def refused(pliant, path, remedy):
    """Asserts that a file is refused in one line that tells what to do."""
    code, message = pliant.refusal("info", path)
    assert code == 2, f"exit code {code}"
    assert remedy in message and len(message.splitlines()) == 1, message


def compare(path):
    """STL has no shared points, so that readers join them as they like."""
    return same_places if path.suffix == ".stl" else same


def check_gmsh(pliant, folder):
    """A model with named groups in every format of Gmsh."""
    volume = model()
    surface = current_model(2)
    volumes = write_all(folder, "gmsh-volume", GMSH_VOLUMES, {})
    surfaces = write_all(folder, "gmsh-surface", GMSH_SURFACES, {"Mesh.SaveAll": 1})
    for name, path, tolerance in volumes:
        yield f"{name} of Gmsh", lambda n=name, p=path, t=tolerance: check_volume(pliant.read(p), volume, n, t)
    for name, path, tolerance in surfaces:
        yield f"{name} of Gmsh", lambda p=path, t=tolerance: same_places(pliant.read(p), surface, t)


def check_volume(found, wanted, name, tolerance):
    """Points, tets and, where the format has them, groups."""
    same(found, wanted, tolerance)
    if name.startswith("MSH") and name != "MSH 1":
        assert set(found.groups) >= GROUPS, f"groups {sorted(found.groups)} instead of {sorted(GROUPS)}"
        parts = found.groups["rubber"] + found.groups["steel"]
        assert parts == len(found.cells), f"{parts} of {len(found.cells)} cells are in groups"


def write_all(folder, stem, formats, common):
    """Writes Gmsh's current model in several formats; gives names, paths and tolerances."""
    written = []
    for i, (name, ending, settings, tolerance) in enumerate(formats):
        path = folder / f"{stem}-{i}.{ending}"
        write(path, common | settings)
        written.append((name, path, tolerance))
    return written


def model():
    """Two boxes that share a face, meshed coarsely, with named volumes and a named face."""
    gmsh.clear()
    gmsh.model.add("two boxes")
    gmsh.model.occ.addBox(0, 0, 0, 1, 1 / 3, 0.7, 1)
    gmsh.model.occ.addBox(1, 0, 0, 1, 1 / 3, 0.7, 2)
    gmsh.model.occ.fragment([(3, 1)], [(3, 2)])
    gmsh.model.occ.synchronize()
    gmsh.model.addPhysicalGroup(3, [1], name="rubber")
    gmsh.model.addPhysicalGroup(3, [2], name="steel")
    gmsh.model.addPhysicalGroup(2, [1], name="clamped")
    gmsh.option.setNumber("Mesh.MeshSizeMax", 0.2)
    gmsh.model.mesh.generate(3)
    return current_model(3)


def write(path, settings):
    """Writes Gmsh's current model with some settings changed for this file."""
    before = {name: gmsh.option.getNumber(name) for name in settings}
    for name, value in settings.items():
        gmsh.option.setNumber(name, value)
    try:
        gmsh.write(str(path))
    finally:
        for name, value in before.items():
            gmsh.option.setNumber(name, value)
