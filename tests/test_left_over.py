"""Nothing is left over: each name that a module has at its top is used by code, by a script, or by a page for users."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from harness.rules import RULES
from harness.rules.model import PROOFS
from tests.test_names import ROOT, defined, parsed

USERS = ("harness", "harness_lab", "tests", "benchmarks")
"""The modules that may use a name."""

TEXTS = ("docs/*.md", "scripts/*", "pyproject.toml", "harness/api.py", "harness_lab/mutants/traces/**/*.yaml")
"""Files in whose text a name may be read: entry points, what programs may call, edits of small runs."""

BY_CONVENTION = re.compile(r"__\w+__|pytest_\w+")
"""Names that Python or pytest looks for."""


def own_names(tree: ast.Module) -> Iterator[str]:
    """The functions, classes and values at the top of a module, but for those that it registers."""
    functions = (node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    registered = set(_registered(tree))
    yield from (
        name for name in (*functions, *defined(tree)) if not BY_CONVENTION.fullmatch(name) and name not in registered
    )


def _registered(tree: ast.Module) -> Iterator[str]:
    """The functions and classes that a call of our own decorates, to which they are handed to be used."""
    imports = (
        node for node in tree.body if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("harness")
    )
    ours = {alias.name for node in imports for alias in node.names}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            calls = [each.func for each in node.decorator_list if isinstance(each, ast.Call)]
            owners = [each.value if isinstance(each, ast.Attribute) else each for each in calls]
            if any(isinstance(each, ast.Name) and each.id in ours for each in owners):
                yield node.name


def used_names(tree: ast.Module) -> Iterator[str]:
    """The names that a module reads, or has in a text without spaces. An import alone is no use, nor is ``__all__``."""
    listed = {id(each) for node in tree.body if _is_list(node) for each in ast.walk(node)}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name) | ast.alias(name=name, asname=str()):
                yield name
            case ast.Constant(value=str(text)) if id(node) not in listed and " " not in text:
                yield from re.findall(r"\w+", text)
            case _:
                continue


def _is_list(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def words_of(files: str) -> set[str]:
    """The words of some files of the repository."""
    return {
        word
        for path in ROOT.glob(files)
        if path.is_file()
        for word in re.findall(r"\w+", path.read_text(encoding="utf-8"))
    }


def left_over(modules: Mapping[Path, ast.Module], used: set[str]) -> list[str]:
    """A line for each name that nobody uses."""
    return [f"{path}: {name}" for path, tree in modules.items() for name in own_names(tree) if name not in used]


@pytest.mark.exhaustive
def test_every_name_of_the_code_is_used() -> None:
    used = {name for folder in USERS for tree in parsed(folder).values() for name in used_names(tree)}
    used |= {word for rule in RULES for word in re.findall(r"\w+", PROOFS.get(rule, ""))}
    assert left_over({**parsed("harness"), **parsed("harness_lab")}, used.union(*map(words_of, TEXTS))) == []


def test_a_name_that_nobody_uses_is_found() -> None:
    tree = ast.parse("""
__all__ = ["listed"]
from a import imported
from a import renamed as other
from harness_lab.a import register
TABLE = READ = 1
_NEVER: int = READ
def listed(): ...
async def _alone(): ...
def imported(): ...
@register("a")
def _registered(): ...
@register.check("a")
def _checked(): ...
@lru_cache(1)
def _cached(): ...
def renamed(): ...
class Kept: ...
class _Left: ...
def pytest_configure(): ...
PLACE = "a:Kept"
TEXT = "a text about _Left"
print(PLACE)
""")
    found = left_over({Path("a.py"): tree}, {*used_names(tree)})
    assert [line.removeprefix("a.py: ") for line in found] == [
        "listed", "_alone", "imported", "_cached", "_Left", "TABLE", "_NEVER", "TEXT",
    ]  # fmt: skip
