"""Files between Pliant and other programs: each opens what the others wrote, and finds the same.

Usage: python check.py PATH-OF-PLIANT FOLDER-WITH-NODE-MODULES
"""

import contextlib
import io
import sys
import tempfile
import time
import traceback
from pathlib import Path

import gmsh

import exports
import ours
import theirs
from common import Pliant, read_obj, read_tetgen


def main():
    """Runs all comparisons; exit code 1 if one fails."""
    pliant, node = Pliant(Path(sys.argv[1]).resolve()), Path(sys.argv[2]).resolve()
    start = time.monotonic()
    start_gmsh()
    passed, failed = 0, []
    with tempfile.TemporaryDirectory(prefix="pliant-interop-") as name:
        folder = Path(name)
        for what, compare in comparisons(pliant, folder, node):
            # The libraries warn about their own formats; that matters only if something fails.
            said = io.StringIO()
            try:
                with contextlib.redirect_stderr(said), contextlib.redirect_stdout(said):
                    compare()
                passed += 1
            except Exception as error:  # Libraries raise whatever they like.
                failed.append(what)
                cause = str(error).strip().splitlines() or [type(error).__name__]
                print(f"interop: FAILED: {what}: {cause[0]}", file=sys.stderr)
                print(said.getvalue(), file=sys.stderr, end="")
                if not isinstance(error, AssertionError):
                    traceback.print_exc()
                # After an error Gmsh opens nothing any more.
                gmsh.finalize()
                start_gmsh()
    gmsh.finalize()
    print(f"interop: {passed} comparisons with other programs agree, {len(failed)} do not, "
          f"{time.monotonic() - start:.0f} s")
    return 1 if failed else 0


def start_gmsh():
    """Gmsh without the settings of whoever runs this."""
    gmsh.initialize(readConfigFiles=False)
    gmsh.option.setNumber("General.Terminal", 0)


def comparisons(pliant, folder, node):
    """A creature with groups, as tets and as a surface, through all formats; then files of the others; then a run."""
    body = folder / "body.msh"
    pliant.mesh("tetrahedralize", "body:wooper", "-o", body, "--tets", "2000")
    pliant.mesh("convert", body, folder / "body.node")
    pliant.mesh("convert", body, folder / "body.obj", "--surface")
    volume = read_tetgen(folder / "body")
    volume.groups = {name: 0 for name in pliant.mesh("convert", body, folder / "copy.msh")["input"]["mesh"]["groups"]}
    surface = read_obj(folder / "body.obj")
    info = pliant.mesh("info", folder / "body.obj")
    surface.groups = {group["name"]: group["elements"] for group in info["groups"]}
    yield from ours.check(pliant, body, volume, folder)
    yield from ours.check(pliant, folder / "body.obj", surface, folder)
    yield from theirs.check(pliant, volume, surface, folder)
    yield from exports.check(pliant, folder, node)


if __name__ == "__main__":
    sys.exit(main())
