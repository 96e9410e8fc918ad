"""Showing the viewer: inline in a notebook, else in the browser."""

from __future__ import annotations

import sys
import webbrowser

from ._native import Viewer


def in_notebook() -> bool:
    """Whether a notebook shows what cells give."""
    shell = sys.modules.get("IPython")
    current = shell.get_ipython() if shell else None
    return type(current).__name__ == "ZMQInteractiveShell"


def show(viewer: Viewer) -> None:
    """Opens the page, unless the notebook shows it by itself."""
    if not in_notebook() and not webbrowser.open(viewer.url):
        print(f"pliant: no browser could be started: open {viewer.url}", file=sys.stderr)
