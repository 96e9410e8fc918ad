"""Meshes as arrays, and the program under test."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np


@dataclass
class Mesh:
    """Points (n x 3), cells (m x 3 or m x 4), and the names of groups with their numbers of cells."""

    points: np.ndarray
    cells: np.ndarray
    groups: dict = field(default_factory=dict)


class Pliant:
    """The command line."""

    def __init__(self, binary):
        self.binary = str(binary)

    def mesh(self, *arguments):
        """Runs `pliant mesh` and gives its JSON."""
        command = [self.binary, "mesh", *map(str, arguments), "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
        return json.loads(done.stdout)

    def run(self, *arguments):
        """Runs `pliant run` and gives its report."""
        command = [self.binary, "run", *map(str, arguments), "--json"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
        return json.loads(done.stdout)

    def refusal(self, *arguments):
        """The exit code and the message of a `pliant mesh` that fails."""
        done = subprocess.run([self.binary, "mesh", *map(str, arguments)], capture_output=True, text=True)
        return done.returncode, done.stderr.strip()

    def read(self, path):
        """A mesh file as `pliant` reads it, through the plain text of TetGen or OBJ, which hold every bit."""
        info = self.mesh("info", path)
        plain = Path(f"{path}.plain")
        if info["kind"] == "tet":
            self.mesh("convert", path, plain.with_suffix(".node"))
            mesh = read_tetgen(plain)
        else:
            self.mesh("convert", path, plain.with_suffix(".obj"))
            mesh = read_obj(plain.with_suffix(".obj"))
        assert (len(mesh.points), len(mesh.cells)) == (info["vertices"], info["elements"]), "info and convert differ"
        mesh.groups = {group["name"]: group["elements"] for group in info["groups"]}
        return mesh


def read_tetgen(stem):
    """The points and tets of TetGen files, read without any library."""

    def rows(path):
        lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
        head, *body = [line for line in lines if line]
        return body[: int(head[0])]

    nodes = rows(stem.with_suffix(".node"))
    first = int(nodes[0][0])
    points = np.array([[float(x) for x in row[1:4]] for row in nodes])
    tets = np.array([[int(v) - first for v in row[1:5]] for row in rows(stem.with_suffix(".ele"))])
    return Mesh(points, tets)


def read_obj(path):
    """The points and triangles of an OBJ file, read without any library."""
    points, triangles = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            triangles.append([int(word.split("/")[0]) - 1 for word in words[1:]])
    return Mesh(np.array(points), np.array(triangles))


def same(found, wanted, tolerance=0.0):
    """Asserts that two meshes are equal: points in order, cells in any order but with the same orientation."""
    assert found.points.shape == wanted.points.shape, f"{len(found.points)} points instead of {len(wanted.points)}"
    off = np.abs(found.points - wanted.points).max()
    assert off <= tolerance, f"points differ by {off:.3g}, allowed are {tolerance:.3g}"
    assert found.cells.shape == wanted.cells.shape, f"{len(found.cells)} cells instead of {len(wanted.cells)}"
    assert np.array_equal(oriented(found.cells), oriented(wanted.cells)), "cells differ"


def same_set(found, wanted, tolerance=0.0):
    """[`same`] where cells may be repeated."""
    same(Mesh(found.points, np.unique(oriented(found.cells), axis=0)), wanted, tolerance)


def same_places(found, wanted, tolerance=0.0):
    """[`same`] for points in any order, repeated or not: cells are compared by the places of their corners."""
    assert found.cells.shape == wanted.cells.shape, f"{len(found.cells)} cells instead of {len(wanted.cells)}"
    a, b = (corner_rows(mesh) for mesh in (found, wanted))
    off = np.abs(a - b).max()
    assert off <= tolerance, f"corners differ by {off:.3g}, allowed are {tolerance:.3g}"


def corner_rows(mesh):
    """The corners of each cell, rotated to start with the least, and the cells in order."""
    corners = mesh.points[mesh.cells]
    # Rounded, so that a difference in the last bit does not change the order.
    rounded = np.round(corners, 5) + 0.0
    cells = []
    for cell, key in zip(corners, rounded):
        order = sorted(range(len(cell)), key=lambda k: tuple(key[k]))
        if len(cell) == 3:
            order = [order[0], (order[0] + 1) % 3, (order[0] + 2) % 3]
        cells.append((tuple(map(tuple, key[order])), cell[order].ravel()))
    cells.sort(key=lambda cell: cell[0])
    return np.array([cell[1] for cell in cells])


def oriented(cells):
    """Cells in a standard order of corners and rows that keeps the orientation."""
    cells = np.array(cells, dtype=np.int64)
    if cells.shape[1] == 3:
        start = cells.argmin(axis=1)
        cells = np.stack([np.take_along_axis(cells, ((start + k) % 3)[:, None], 1)[:, 0] for k in range(3)], axis=1)
    else:
        parity = np.array([permutation_sign(row) for row in cells.argsort(axis=1)])
        cells = np.sort(cells, axis=1)
        odd = parity < 0
        cells[odd, 2], cells[odd, 3] = cells[odd, 3], cells[odd, 2].copy()
    return cells[np.lexsort(cells.T[::-1])]


def permutation_sign(order):
    """1 for an even permutation, -1 for an odd one."""
    swaps = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))
    return 1 if swaps % 2 == 0 else -1
