"""The stubs are those of what is compiled: the same names, arguments and descriptions."""

import ast
import inspect
from pathlib import Path

import pliant
import pliant._native as native

STUBS = Path(pliant.__file__).with_name("_native.pyi")
TREE = ast.parse(STUBS.read_text())
CLASSES = {node.name: node for node in TREE.body if isinstance(node, ast.ClassDef)}


def words(text: str | None) -> str:
    return " ".join((text or "").split())


def arguments(node: ast.FunctionDef) -> list[str]:
    parts = node.args
    return [a.arg for a in (*parts.posonlyargs, *parts.args, *parts.kwonlyargs) if a.arg not in ("self", "cls")]


def real_arguments(signature: str) -> list[str]:
    parts = signature.strip("()").replace("$", "").split(", ")
    return [p.split("=")[0] for p in parts if p.split("=")[0] not in ("self", "/", "*", "")]


def test_every_class_has_its_stub():
    assert set(CLASSES) == {name for name, value in vars(native).items() if isinstance(value, type)}


def test_every_method_has_its_stub():
    for name, node in CLASSES.items():
        real = getattr(native, name)
        assert words(ast.get_docstring(node)) == words(real.__doc__), name
        stubs = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
        public = {member for member in vars(real) if not member.startswith("_")}
        assert public == {member for member in stubs if not member.startswith("_")}, name
        for member in public:
            found, stub = inspect.getattr_static(real, member), stubs[member]
            bare = found.__func__ if isinstance(found, staticmethod) else found
            assert words(ast.get_docstring(stub)) == words(bare.__doc__) != "", f"{name}.{member}"
            if signature := getattr(bare, "__text_signature__", None):
                assert arguments(stub) == real_arguments(signature), f"{name}.{member}"
        if real.__text_signature__:
            assert arguments(stubs["__new__"]) == real_arguments(real.__text_signature__), name


def test_all_that_is_public_is_described():
    for name in pliant.__all__:
        value = getattr(pliant, name)
        assert inspect.getdoc(value), name
        if isinstance(value, type):
            for member, method in vars(value).items():
                if not member.startswith("_") and callable(method):
                    assert inspect.getdoc(method), f"{name}.{member}"
