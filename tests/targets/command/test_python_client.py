"""The Python client: real processes on it, whose loops do what loops do, and its words beside ours."""

from __future__ import annotations

import ast
import dataclasses
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.targets.command.target import CommandTarget
from harness.trace import Event, Failure, Final
from harness.trace.kinds import EVENTS
from tests.targets.command.client import CLIENT, harness_client
from tests.targets.command.client_cases import DECLARED, scenarios
from tests.targets.command.running import Ran, run

LOOPS = Path(__file__).with_name("client_loops.py")
GOOD = ["prints", "in-threads", "in-tasks", "large", "leaves", "leaves-a-thread"]


async def ran(folder: Path, names: list[str], *, persistent: bool = True) -> dict[str, Ran]:
    """One case after another."""
    target = CommandTarget("client", (sys.executable, "-S", str(LOOPS)), DECLARED, persistent=persistent)
    return await run(target, scenarios(folder, names), jobs=1)


def end(one: Ran) -> Event:
    return one.events[-1]


@pytest.mark.anyio
async def test_whatever_a_loop_does_beside_answering_the_protocol_survives(tmp_path: Path) -> None:
    """All in one process, but for what follows the one that exits: no case disturbs another."""
    names = [*GOOD, "finds-what-was-left", "raises", "is-refused", "emits-nothing-known", "exits", "answer", "forgets"]
    results = await ran(tmp_path, names)
    good = [*GOOD, "finds-what-was-left", "answer"]
    assert {name: (results[name].result.verdict, results[name].found) for name in good} == {
        name: ("pass", []) for name in good
    }, {name: results[name].result.error for name in good}
    assert {end(results[name]) for name in good} == {Final("", text="Hello.")}
    assert end(results["raises"]) == Failure("raised", "ValueError: out of order")
    assert end(results["is-refused"]) == Failure("http", "HTTPError: HTTP Error 404: Not Found")
    wrong = end(results["emits-nothing-known"])
    assert isinstance(wrong, Failure)
    assert wrong.message.startswith("TypeError: emit: expected one of TurnStart, Assistant, ")
    assert end(results["exits"]) == Failure("raised", "exit code 1\nthe disk is full")
    assert "continuation/anthropic-messages (ANT-01)" in results["forgets"].found


@pytest.mark.anyio
async def test_a_process_for_every_case_ends_with_it(tmp_path: Path) -> None:
    results = await ran(tmp_path, ["prints", "in-tasks", "raises"], persistent=False)
    assert [each.result.verdict for each in results.values()] == ["pass", "pass", "fail"]
    assert end(results["raises"]) == Failure("raised", "ValueError: out of order")


# --- its words ----------------------------------------------------------------------------------------------


def test_it_is_python_3_9() -> None:
    ast.parse(CLIENT.read_text(encoding="utf-8"), feature_version=(3, 9))


def test_it_imports_the_standard_library_only() -> None:
    tree = ast.parse(CLIENT.read_text(encoding="utf-8"))
    named = [each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)]
    named += [name.name for each in ast.walk(tree) if isinstance(each, ast.Import) for name in each.names]
    assert {str(name).partition(".")[0] for name in named} <= sys.stdlib_module_names


def test_its_events_are_ours() -> None:
    theirs = {kind: event for event, kind in harness_client._KINDS.items()}
    assert list(theirs) == list(EVENTS)
    for kind, ours in EVENTS.items():
        assert members(theirs[kind]) == members(ours) or kind == "final"
        assert theirs[kind].__name__ == ours.__name__
    assert [each.name for each in dataclasses.fields(harness_client.Final)] == ["code", "outcome", "text"]


def members(event: Any) -> list[tuple[str, object]]:
    return [(each.name, each.default) for each in dataclasses.fields(event)]
