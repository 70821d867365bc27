"""The plugin that reports the tests of a pytest: what it is, and what it needs."""

from __future__ import annotations

import ast
import io
import json
import os
import sys
from importlib.metadata import DistributionFinder, MetadataPathFinder
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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
    found = list(MetadataPathFinder.find_distributions(DistributionFinder.Context(path=[str(FOLDER)])))
    assert [(each.metadata["Name"], each.version) for each in found] == [("harness-serve", "1")]
    points = [(each.group, each.name, each.value) for each in found[0].entry_points]
    assert points == [("pytest11", "harness_serve_tests", "harness_serve_tests")]
    assert [each.name for each in FOLDER.glob("*.py")] == ["harness_serve_tests.py"], (
        "all else would be importable, too"
    )


class Connection:
    """What the plugin has reported, in place of its connection."""

    def __init__(self) -> None:
        self.reports: list[dict[str, Any]] = []
        self.failing = False

    def request(self, method: str, path: str, body: bytes) -> None:
        if self.failing:
            raise AssertionError("a test forbids sockets")
        self.reports.append(json.loads(body))

    def getresponse(self) -> io.BytesIO:
        return io.BytesIO()

    def connect(self) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def plugin(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Connection]:
    """A reporter of the plugin, and what it reports."""
    spec = spec_from_file_location("_served_tests", FOLDER / "harness_serve_tests.py")
    assert spec is not None
    assert spec.loader is not None
    loaded = module_from_spec(spec)
    spec.loader.exec_module(loaded)
    connection = Connection()
    monkeypatch.setattr(loaded, "HTTPConnection", lambda *args, **keywords: connection)
    return loaded._Reporter(None, "http://127.0.0.1:1/case/automatic/worker/-1"), connection


def phase(test: str, outcome: str) -> SimpleNamespace:
    return SimpleNamespace(nodeid=test, outcome=outcome)


def test_of_several_tests_at_once_none_is_the_one_that_asks(plugin: tuple[Any, Connection]) -> None:
    """As where a plugin runs tests in threads of one process."""
    reporter, connection = plugin
    reporter.begins("a")
    reporter.begins("b")
    reporter.reports(phase("a", "passed"))
    reporter.ends("a")
    reporter.ends("b")
    reporter.is_over()
    assert connection.reports == [
        {"test": "a"},
        {"test": ""},
        {"test": "b", "ended": "a", "outcome": "passed"},
        {"test": "", "over": True},
    ]


@pytest.mark.parametrize(
    ("phases", "outcome"),
    [
        (["passed", "passed", "passed"], "passed"),
        (["passed", "failed", "passed"], "failed"),
        (["passed", "passed", "failed"], "failed"),
        (["skipped", "passed"], "skipped"),
        (["passed", "skipped", "passed"], "skipped"),
        (["passed", "rerun", "passed", "passed", "passed"], "passed"),
        (["passed", "skipped", "failed"], "failed"),
    ],
)
def test_the_phases_of_a_test_make_its_outcome(plugin: tuple[Any, Connection], phases: list[str], outcome: str) -> None:
    reporter, connection = plugin
    reporter.begins("a")
    for each in phases:
        reporter.reports(phase("another one", "failed"))
        reporter.reports(phase("a", each))
    reporter.ends("a")
    reporter.begins("b")
    assert connection.reports[-1] == {"test": "b", "ended": "a", "outcome": outcome}


def test_what_cannot_be_reported_fails_no_test(plugin: tuple[Any, Connection]) -> None:
    reporter, connection = plugin
    connection.failing = True
    reporter.begins("a")
    connection.failing = False
    reporter.ends("a")
    reporter.begins("b")
    assert connection.reports == [], "it has given up"


def test_the_users_own_variables_stay() -> None:
    own = {"PYTHONPATH": f"a{os.pathsep}b", "PYTEST_ADDOPTS": "-x", "PYTEST_PLUGINS": "mine", "HOME": "/home"}
    assert reporting(own) == {**own, "PYTHONPATH": os.pathsep.join(["a", "b", str(FOLDER)])}
    assert reporting({}) == {"PYTHONPATH": str(FOLDER)}, "no empty entry, which is the current folder"


def test_a_pytest_that_reads_no_entry_points_is_told_its_name() -> None:
    off = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    assert reporting(off)["PYTEST_PLUGINS"] == "harness_serve_tests"
    assert reporting({**off, "PYTEST_PLUGINS": "mine"})["PYTEST_PLUGINS"] == "mine,harness_serve_tests"
