"""Python values as TOML, in which scenes are written."""

from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from ._native import Mesh

#: Gives a mesh that is not in a file a name that the scene can use.
Register = Callable[[Mesh], str]


def text(value: str) -> str:
    """A string in quotes."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if c.isprintable() else f"\\U{ord(c):08X}" for c in escaped) + '"'


def key(name: str) -> str:
    """A key, in quotes where it needs them."""
    return name if name and all(c.isascii() and (c.isalnum() or c in "_-") for c in name) else text(name)


def number(value: float) -> str:
    """A number such that it is read again bit for bit."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(float(value))


def value(given: Any, what: str = "value", register: Register | None = None) -> str:
    """Any value on one line. Meshes that are not in files get a name from ``register``."""
    if isinstance(given, (bool, np.bool_)):
        return "true" if given else "false"
    if isinstance(given, str):
        return text(given)
    if isinstance(given, numbers.Integral):
        return str(int(given))
    if isinstance(given, numbers.Real):
        return number(float(given))
    if isinstance(given, os.PathLike):
        return text(os.fspath(given))
    if isinstance(given, Mesh):
        if register is None:
            raise TypeError(f"{what}: a mesh has no place here: add it with Scene.add_body or Scene.add_obstacle")
        return text(register(given))
    if isinstance(given, np.ndarray):
        return value(given.tolist(), what, register)
    if isinstance(given, Mapping):
        parts = [f"{key(str(k))} = {value(v, f'{what}.{k}', register)}" for k, v in given.items() if v is not None]
        return "{ " + ", ".join(parts) + " }"
    if isinstance(given, Iterable) and not isinstance(given, (bytes, bytearray)):
        return "[" + ", ".join(value(v, f"{what}[{i}]", register) for i, v in enumerate(given)) + "]"
    raise TypeError(
        f"{what}: a scene cannot hold a {type(given).__name__}: "
        "give numbers, texts, lists, arrays, dicts or a pliant.Mesh"
    )


def table(heading: str, entries: Mapping[str, Any], register: Register | None = None) -> str:
    """A table with one key per line. What is None is left out."""
    lines = [heading]
    lines += [f"{key(k)} = {value(v, k, register)}" for k, v in entries.items() if v is not None]
    return "\n".join(lines) + "\n"
