"""The examples assert their own results; here they run."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parent.parent / "examples"


@pytest.mark.parametrize("script", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.name)
def test_a_script_holds_what_it_says(script, tmp_path):
    subprocess.run([sys.executable, str(script)], cwd=tmp_path, check=True, timeout=300)


@pytest.mark.parametrize("notebook", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_a_notebook_holds_what_it_says(notebook, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "notebooks are kept without output"
            exec(compile("".join(cell["source"]), notebook.name, "exec"), names)
