"""``harness.api`` is what it was: a change of a name or a signature is made on purpose."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import harness.api
from tests.api.surface import FILE, surface

AGAIN = "run 'python tests/api/surface.py', say in changes/ what has changed, and see docs/compatibility.md"


def test_the_names_and_their_signatures_are_those_that_were_published() -> None:
    assert surface(harness.api) == FILE.read_text(encoding="utf-8"), AGAIN


def test_another_signature_would_be_found() -> None:
    module = ModuleType("example")
    sources = ["def f(a: int, *, b: str = 'x') -> None: ...", "def f(a: int, *, b: str = 'y') -> None: ..."]
    shown = []
    for source in sources:
        exec(compile(source, "example", "exec", flags=__import__("__future__").annotations.compiler_flag), vars(module))  # noqa: S102
        module.__all__ = ["f"]  # type: ignore[attr-defined]
        shown.append(surface(module))
    assert shown[0] == "def f(a: int, *, b: str = 'x') -> None\n"
    assert shown[0] != shown[1]


def test_checkers_and_python_find_every_name_in_the_same_module() -> None:
    """The imports for type checkers, and the table of lazy imports, say the same."""
    tree = ast.parse(Path(harness.api.__file__).read_text(encoding="utf-8"))
    typed = {
        alias.asname or alias.name: (node.module, alias.name)
        for branch in tree.body
        if isinstance(branch, ast.If)
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert typed == harness.api._HOME
    assert sorted(typed) == sorted(harness.api.__all__)
    seen = [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    assert "__getattr__" not in seen, "a checker would take any name for one that is there"


def test_every_name_is_the_object_of_its_module() -> None:
    for name, (module, original) in harness.api._HOME.items():
        assert getattr(harness.api, name) is getattr(import_module(module), original), name


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = harness.api.Nothing
    assert dir(harness.api) == sorted(harness.api.__all__)


def test_importing_it_imports_nothing_else_of_the_harness() -> None:
    """A package that adds a rule needs the rules, and no runner."""
    program = (
        "import sys, harness.api\n"
        "print(sorted(name for name in sys.modules if name.startswith('harness')))\n"
        "harness.api.Rule\n"
        "print([name for name in ('harness.runner', 'harness.endpoint', 'yaml', 'httpx2') if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "['harness', 'harness.api']\n[]\n"
