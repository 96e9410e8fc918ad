"""What `pliant mesh convert` writes, opened by meshio and by Gmsh."""

import gmsh
import meshio
import numpy as np

from common import Mesh, same, same_places, same_set

# Formats that meshio has no reader for; of TetGen it reads volumes only.
NOT_MESHIO = {"glb", "gltf"}
NOT_MESHIO_SURFACES = {"tetgen"}
# STL has no shared points, so that readers join them as they like. MSH 2.2 repeats a cell for each of its groups.
COMPARE = {"stl": same_places, "stl-ascii": same_places, "gmsh22": same_set, "gmsh22-ascii": same_set}
# Formats with single precision.
SINGLE = {"stl": 1e-7, "glb": 1e-7, "gltf": 1e-7}
# Endings that Gmsh opens, and what it cannot: Gmsh 4.15 fails on binary VTK, its own files included.
GMSH_OPENS = {"msh", "vtk", "mesh", "stl"}
NOT_GMSH = {"vtk"}


def check(pliant, source, reference, folder):
    """Yields a name and a function for each format and reader."""
    is_volume = reference.cells.shape[1] == 4
    for entry in pliant.mesh("formats"):
        name, ending = entry["name"], entry["endings"][0]
        if is_volume and not entry["volumes"]:
            continue
        kind = "tets" if is_volume else "triangles"
        path = folder / f"{name}-{kind}.{ending}"
        pliant.mesh("convert", source, path, "--format", name)
        compare = COMPARE.get(name, same)
        tolerance = SINGLE.get(name, 0.0)
        if name not in NOT_MESHIO and (is_volume or name not in NOT_MESHIO_SURFACES):
            yield f"{name}, {kind}: meshio opens it", lambda p=path, c=compare, t=tolerance: c(
                by_meshio(p, is_volume), reference, t
            )
        if ending in GMSH_OPENS and name not in NOT_GMSH:
            yield f"{name}, {kind}: Gmsh opens it", lambda p=path, c=compare, t=tolerance: c(
                by_gmsh(p, is_volume), reference, t
            )
        if name.startswith("gmsh"):
            yield f"{name}, {kind}: Gmsh finds the groups", lambda p=path: groups_agree(p, reference)


def by_meshio(path, is_volume):
    """The tets or triangles of a file."""
    mesh = meshio.read(path)
    kind = "tetra" if is_volume else "triangle"
    cells = [block.data for block in mesh.cells if block.type == kind]
    return Mesh(mesh.points, np.concatenate(cells))


def by_gmsh(path, is_volume):
    """The tets or triangles of a file, with points in the order of their tags."""
    gmsh.clear()
    gmsh.open(str(path))
    return current_model(3 if is_volume else 2)


def current_model(dimension):
    """The mesh of Gmsh's current model."""
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    order = np.argsort(tags)
    tags, points = tags[order], coordinates.reshape(-1, 3)[order]
    kind = 4 if dimension == 3 else 2
    elements, corners = gmsh.model.mesh.getElementsByType(kind)
    cells = np.searchsorted(tags, corners.reshape(len(elements), -1))
    return Mesh(points, cells)


def groups_agree(path, reference):
    """Physical groups have the names that were asked for; tag 0 stands for cells without a group."""
    gmsh.clear()
    gmsh.open(str(path))
    names = {gmsh.model.getPhysicalName(*group) for group in gmsh.model.getPhysicalGroups() if group[1] != 0}
    assert names == set(reference.groups), f"groups {sorted(names)} instead of {sorted(reference.groups)}"
