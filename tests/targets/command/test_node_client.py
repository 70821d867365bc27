"""The Node client: real processes on it, whose loops do what loops do, and its types beside our events."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from harness.targets.command.target import CommandTarget
from harness.trace import FAILURES, OUTCOMES, Failure, Final
from harness.trace.kinds import EVENTS
from tests.targets.command.client_cases import DECLARED, scenarios
from tests.targets.command.running import run

needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")

CLIENT = Path("clients/node")
LOOPS = Path(__file__).with_name("node_client_loops.mjs")
GOOD = ["in-tasks", "large", "leaves", "finds-what-was-left", "answer"]


@needs_node
@pytest.mark.anyio
async def test_whatever_a_loop_does_beside_answering_the_protocol_survives(tmp_path: Path) -> None:
    """In one process but for what follows the two that end it: no case disturbs another."""
    names = [*GOOD[:-1], "raises", "is-refused", "fails-behind-its-back", "exits", "answer", "forgets"]
    target = CommandTarget("client", ("node", str(LOOPS)), DECLARED, persistent=True)
    ran = await run(target, scenarios(tmp_path, names), jobs=1)
    assert {name: (ran[name].result.verdict, ran[name].found, ran[name].events[-1]) for name in GOOD} == {
        name: ("pass", [], Final("", text="Hello.")) for name in GOOD
    }
    assert ran["raises"].events == [Failure("raised", "RangeError: out of order")]
    assert [type(event) for event in ran["is-refused"].events] == [Failure]
    assert ran["is-refused"].events[0].kind == "http"  # type: ignore[union-attr]
    behind = ran["fails-behind-its-back"].events[-1]
    assert isinstance(behind, Failure)
    assert behind.message.startswith("exit code 1\n")
    assert "nobody awaits this" in behind.message
    assert ran["exits"].events == [Failure("raised", "exit code 3")]
    assert "continuation/anthropic-messages (ANT-01)" in ran["forgets"].found


@needs_node
@pytest.mark.anyio
async def test_what_node_prints_is_no_line_of_the_protocol(tmp_path: Path) -> None:
    target = CommandTarget("client", ("node", str(LOOPS)), DECLARED)
    ran = (await run(target, scenarios(tmp_path, ["prints"])))["prints"]
    assert ran.found == []


def test_its_types_have_our_events_and_words() -> None:
    types = (CLIENT / "harness-client.d.mts").read_text(encoding="utf-8")
    assert re.findall(r"event: '(\w+)'[;,]", types)[: len(EVENTS)] == list(EVENTS)
    assert words(types, "kind: ('.*?);") == set(FAILURES)
    assert words(types, r"outcome\?: (.*?);") == set(OUTCOMES)


def words(types: str, pattern: str) -> set[str]:
    found = re.search(pattern, types[types.index("event: 'error'") :] if "kind" in pattern else types)
    assert found is not None
    return set(re.findall(r"'([a-z-]+)'", found[1]))


def test_what_is_published_is_there() -> None:
    package = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))
    assert {file for file in package["files"] if (CLIENT / file).is_file()} == {
        Path(path).name for path in package["exports"]["."].values()
    }
    assert "dependencies" not in package
