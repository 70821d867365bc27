"""What docs/compatibility.md promises: old documents are read, published ids and keys stay, exit codes are these."""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.baseline.loader import load as load_baseline
from harness.cli import main
from harness.errors import BadInput
from harness.plugins import GROUPS
from harness.report.explanations import FINDINGS
from harness.report.files import read_results
from harness.rules import RULES, rule, select
from harness.rules.model import ALIASES
from harness.runner.results import FORMAT, READABLE
from harness.targets.command.case_line import PROTOCOL
from harness.wire import wire_rules
from harness_lab.documents.scenario_schema import export

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
PAGE = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """The text of a section of the page."""
    return PAGE.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def first_column(title: str) -> list[str]:
    """The first cells of the rows of a section's table, without its head."""
    return re.findall(r"(?m)^\| (\S+) \|", section(title))[1:]


# --- results.json ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", READABLE)
def test_results_of_every_readable_version_are_read(version: int) -> None:
    """Each file was written by the harness of that time, in a run of two cases of which one failed."""
    path = HERE / "results" / f"format-{version}.json"
    assert json.loads(path.read_text(encoding="utf-8"))["format"] == version
    run = read_results(path)
    assert {case.scenario: case.verdict for case in run.cases} == {
        "page-in-the-last-answer": "fail",
        "tool-returns": "pass",
    }
    found = [finding.rule for case in run.cases for finding in case.findings]
    assert "expect/outcome" in found


def test_the_page_names_the_versions_that_are_read() -> None:
    assert first_column("results.json") == [str(version) for version in READABLE]
    assert READABLE[-1] == FORMAT


def test_a_version_that_is_not_read_is_bad_input(tmp_path: Path) -> None:
    values = json.loads((HERE / "results" / f"format-{FORMAT}.json").read_text(encoding="utf-8"))
    (tmp_path / "results.json").write_text(json.dumps({**values, "format": FORMAT + 1}), encoding="utf-8")
    with pytest.raises(BadInput, match=f"expected results in format {FORMAT}, got format {FORMAT + 1}"):
        read_results(tmp_path / "results.json")


# --- rule ids --------------------------------------------------------------------------------------------------------


def published() -> list[str]:
    """Every id that a version of the harness has had."""
    return (HERE / "rule-ids.txt").read_text(encoding="utf-8").split()


def vanished(ids: Iterable[str], known: Iterable[str], aliases: Mapping[str, str]) -> list[str]:
    """Of ``ids`` those that are neither known nor the former id of one that is."""
    there = set(known)
    return [each for each in ids if aliases.get(each, each) not in there]


def known_ids() -> list[str]:
    """The ids that there are now."""
    return [*RULES, *wire_rules(), *FINDINGS]


def test_no_published_id_has_vanished() -> None:
    assert vanished(published(), known_ids(), ALIASES) == [], "a rule that has another id names this one in its aliases"


def test_every_id_is_published() -> None:
    missing = sorted(set(known_ids()) - set(published()))
    assert missing == [], "run scripts/regenerate tests, which adds them to tests/compatibility/rule-ids.txt"


def test_an_id_that_vanishes_would_be_found() -> None:
    without = [each for each in known_ids() if each != "order/one-end"]
    assert vanished(published(), without, ALIASES) == ["order/one-end"]
    assert vanished(published(), [*without, "order/single-end"], {**ALIASES, "order/one-end": "order/single-end"}) == []
    assert set(vanished(published(), known_ids(), {})) == set(ALIASES)


@pytest.mark.parametrize(("former", "now"), ALIASES.items())
def test_a_former_id_means_the_rule_by_its_present_one(former: str, now: str, tmp_path: Path) -> None:
    assert former not in RULES
    assert rule(former).id == now
    assert select([former]).rules == {now}
    baseline = tmp_path / "mine.yaml"
    text = f"baseline: mine\nfindings:\n  - cases: ['*']\n    rules: [{former}]\n    reason: It is known.\n"
    baseline.write_text(text, encoding="utf-8")
    (entry,) = load_baseline(baseline).entries
    assert [written.text for written in entry.rules] == [now]


# --- scenarios -------------------------------------------------------------------------------------------------------


def keys(schema: Mapping[str, Any]) -> Iterator[str]:
    """Every key of the format, with ``!`` where it is required, and every value that a key accepts by name."""
    for name, entry in {"ScenarioFile": schema, **schema["$defs"]}.items():
        for key, value in entry.get("properties", {}).items():
            yield f"{name}.{key}{'!' if key in entry.get('required', ()) else ''}"
            yield from (f"{name}.{key}={each}" for each in sorted(set(map(str, words(value)))))


def words(schema: object) -> Iterator[object]:
    """The values of the enumerations in a schema."""
    if isinstance(schema, dict):
        yield from schema.get("enum", ())
        yield from [schema["const"]] if "const" in schema else []
        for each in schema.values():
            yield from words(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from words(each)


def broken(before: Iterable[str], now: Iterable[str]) -> list[str]:
    """Keys and values that are gone, and keys that have become required."""
    there = set(now)
    return [each for each in before if each not in there and each.removesuffix("!") not in there]


def scenario_keys() -> list[str]:
    """Every key that a version of the format has had."""
    return (HERE / "scenario-keys.txt").read_text(encoding="utf-8").splitlines()


def test_no_key_of_a_scenario_is_gone_or_newly_required() -> None:
    assert broken(scenario_keys(), keys(export())) == []
    new = sorted(set(keys(export())) - set(scenario_keys()))
    assert new == [], "add them to tests/compatibility/scenario-keys.txt"


def test_a_key_that_goes_or_becomes_required_would_be_found() -> None:
    now = list(keys(export()))
    assert broken(now, [each for each in now if each != "ScenarioFile.stream"]) == ["ScenarioFile.stream"]
    required = ["ScenarioFile.side!" if each == "ScenarioFile.side" else each for each in now]
    assert broken(now, required) == ["ScenarioFile.side"]
    assert broken(now, [each.removesuffix("!") for each in now]) == []


# --- exit codes ------------------------------------------------------------------------------------------------------


def returned(tree: ast.AST) -> Iterator[int]:
    """The whole numbers that functions return, and with which processes are ended."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Return) and node.value is not None:
            yield from (each.value for each in branches(node.value) if type(each.value) is int)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("exit", "_exit") and node.args:
            yield from (each.value for each in branches(node.args[-1]) if type(each.value) is int)


def branches(value: ast.expr) -> Iterator[Any]:
    """The constants that an expression may be."""
    if isinstance(value, ast.IfExp):
        yield from branches(value.body)
        yield from branches(value.orelse)
    elif isinstance(value, ast.Constant):
        yield value


def commands() -> Iterator[Path]:
    """The modules of the command line."""
    for package in ("harness/cli", "harness_lab/cli"):
        yield from (ROOT / package).rglob("*.py")


def test_commands_return_the_exit_codes_of_the_page_only() -> None:
    found = {code for path in commands() for code in returned(ast.parse(path.read_text(encoding="utf-8")))}
    assert {0, 1, 2, 3, 130} <= found
    assert found <= set(map(int, first_column("Exit codes")))
    assert set(returned(ast.parse("def f():\n    return 7 if x else 0\nsys.exit(9)"))) == {7, 0, 9}


def _bad_input() -> int:
    raise BadInput("no such thing")


def _interrupted() -> int:
    raise KeyboardInterrupt


def _terminated() -> int:
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
    return 0


@pytest.mark.parametrize(
    ("code", "work"),
    [(0, lambda: 0), (1, lambda: 1), (2, _bad_input), (3, lambda: 3), (130, _interrupted), (143, _terminated)],
)
def test_a_command_ends_with_the_code_of_the_page(
    code: int, work: Callable[[], int], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = argparse.Namespace(work=lambda _: work())
    monkeypatch.setattr(sys.modules["harness.cli.main"], "parsed", lambda _: options)
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == code
    assert str(code) in first_column("Exit codes")


# --- entry points and the command protocol ---------------------------------------------------------------------------


def test_no_group_of_entry_points_is_gone_and_every_one_is_documented() -> None:
    published_groups = {
        "harness.rules",
        "harness.commands",
        "harness.targets",
        "harness.sources",
        "harness.tools",
        "harness.wires",
        "harness.reports",
        "harness.examples",
    }
    index = (ROOT / "docs" / "plugins.md").read_text(encoding="utf-8")
    assert published_groups <= set(GROUPS)
    assert [group for group in GROUPS if f"`{group}`" not in index] == []


def test_the_version_of_the_command_protocol_is_that_of_the_page_and_of_the_client() -> None:
    assert "is the version, 1 " in section("Command protocol")
    client = (ROOT / "clients" / "python" / "harness_client.py").read_text(encoding="utf-8")
    assert PROTOCOL == 1
    assert re.findall(r"(?m)^PROTOCOL = (\d+)$", client) == ["1"]
