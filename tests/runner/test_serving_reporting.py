"""The plugin that reports the tests of a pytest: what it is, and what it needs."""

from __future__ import annotations

import ast
import os
import sys
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

from harness.runner.serving import reporting as module
from harness.runner.serving.reporting import reporting

FOLDER = Path(module.__file__).parent / "in_pytest"
SOURCE = (FOLDER / "harness_serve_tests.py").read_text(encoding="utf-8")


def test_it_is_read_by_the_oldest_python_that_it_is_for() -> None:
    tree = ast.parse(SOURCE, feature_version=(3, 8))
    with pytest.raises(SyntaxError):
        ast.parse("match 1:\n    case 1: pass", feature_version=(3, 8))
    imported = {
        name.name.partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for name in node.names
    } | {(node.module or "").partition(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported <= {*sys.stdlib_module_names, "pytest"}


def test_pytest_finds_it_beside_the_module_and_nowhere_else() -> None:
    found = list(Distribution.discover(path=[str(FOLDER)]))
    assert [(each.metadata["Name"], each.version) for each in found] == [("harness-serve", "1")]
    assert isinstance(found[0], PathDistribution)
    points = [(each.group, each.name, each.value) for each in found[0].entry_points]
    assert points == [("pytest11", "harness_serve_tests", "harness_serve_tests")]
    assert [each.name for each in FOLDER.glob("*.py")] == ["harness_serve_tests.py"], (
        "all else would be importable, too"
    )


def test_the_users_own_variables_stay() -> None:
    own = {"PYTHONPATH": f"a{os.pathsep}b", "PYTEST_ADDOPTS": "-x", "PYTEST_PLUGINS": "mine", "HOME": "/home"}
    assert reporting(own) == {**own, "PYTHONPATH": os.pathsep.join(["a", "b", str(FOLDER)])}
    assert reporting({}) == {"PYTHONPATH": str(FOLDER)}, "no empty entry, which is the current folder"


def test_a_pytest_that_reads_no_entry_points_is_told_its_name() -> None:
    off = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    assert reporting(off)["PYTEST_PLUGINS"] == "harness_serve_tests"
    assert reporting({**off, "PYTEST_PLUGINS": "mine"})["PYTEST_PLUGINS"] == "mine,harness_serve_tests"
