"""The clients where a case has several runs: real processes, cancelled wherever they are."""

from __future__ import annotations

import asyncio
import json
import shutil
import sys
from pathlib import Path

import pytest

from harness.runner import timeline
from harness.targets.command.target import CommandTarget
from harness.trace import Failure
from tests.targets.command.conversation_cases import (
    ABLE,
    AT_REQUEST,
    EVERY,
    FOLLOW,
    IN_TOOL,
    Conversation,
    acts,
)
from tests.targets.command.running import Ran, run

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="what is left running is looked up in /proc"),
]

HERE = Path(__file__).parent
PYTHON = (sys.executable, str(HERE / "client_conversations.py"))
NODE = ("node", str(HERE / "node_client_conversations.mjs"))
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def python(does: str) -> object:
    return pytest.param((*PYTHON, does), id=does)


def node(does: str) -> object:
    return pytest.param((*NODE, does), id=f"node-{does}", marks=needs_node)


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only goes on when the harness no longer waits does not go on."""
    monkeypatch.setattr(timeline, "_PATIENCE", 600.0)


async def ran(
    command: tuple[str, ...],
    conversations: tuple[Conversation, ...],
    folder: Path,
    mark: str,
    *,
    persistent: bool = True,
) -> dict[str, Ran]:
    """One case after another."""
    target = CommandTarget("client", command, ABLE, {"TEST_MARK": mark}, persistent=persistent)
    return await run(target, [each.scenario(folder) for each in conversations], jobs=1)


@pytest.mark.exhaustive
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("command", [python("plain"), python("in_a_task"), node("converses")])
async def test_a_loop_converses(tmp_path: Path, mark: str, command: tuple[str, ...]) -> None:
    """All in one process, but for what is resumed: it ends wherever it is cancelled, and goes on with the next run."""
    results = await ran(command, EVERY, tmp_path, mark)
    assert {name: (one.result.verdict, one.result.error, one.found) for name, one in results.items()} == {
        each.name: ("pass", None, []) for each in EVERY
    }
    assert not [event for one in results.values() for event in one.events if isinstance(event, Failure)]


@pytest.mark.exhaustive
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("command", [python("plain"), node("converses")])
async def test_it_converses_in_a_process_for_each_run(tmp_path: Path, mark: str, command: tuple[str, ...]) -> None:
    (one,) = (await ran(command, (IN_TOOL,), tmp_path, mark, persistent=False)).values()
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])


@pytest.mark.sampled(2)
@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("command", [python("in_threads"), python("by_a_flag")])
async def test_a_call_ends_when_the_run_is_cancelled(tmp_path: Path, mark: str, command: tuple[str, ...]) -> None:
    """Also one in a thread, for which a pool waits, and that of a loop which has named what cancels it."""
    (one,) = (await ran(command, (IN_TOOL,), tmp_path, mark)).values()
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])


@pytest.mark.parametrize("command", [python("goes_on"), node("goes-on")])
async def test_a_loop_that_goes_on_is_found(
    tmp_path: Path, mark: str, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr(timeline, "_PATIENCE", 0.2)
    (one,) = (await ran(command, (IN_TOOL,), tmp_path, mark)).values()
    assert one.result.error is None
    assert "caller/cancelled" in one.found
    assert acts(one)[4:6] == ["cancel", "request"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        pytest.param((*PYTHON, "keeps_what_is_no_json"), "Object of type set is not JSON serializable", id="python"),
        pytest.param((*NODE, "keeps-what-is-no-json"), "serialize a BigInt", id="node", marks=needs_node),
    ],
)
async def test_a_state_that_is_no_json_is_an_error_of_its_case(
    tmp_path: Path, mark: str, command: tuple[str, ...], said: str
) -> None:
    """However the run has ended."""
    results = await ran(command, (FOLLOW, AT_REQUEST), tmp_path, mark)
    for one in results.values():
        assert one.result.verdict == "error"
        error = one.result.error or ""
        assert "state is no JSON: " in error
        assert said in error


async def test_a_loop_that_forgets_does_not_know_what_was_said(tmp_path: Path, mark: str) -> None:
    (one,) = (await ran((*PYTHON, "forgets"), (FOLLOW,), tmp_path, mark)).values()
    assert one.found == ["history/append-only"]


# --- a harness that knows of no runs ------------------------------------------------------------------------

OLDER = Path(__file__).parent / "data" / "older_case.json"
CLIENTS = Path("clients").resolve()
IN_PYTHON = """\
import sys
sys.path.insert(0, {folder!r})
from harness_client import serve
def run(case):
    case.state["seen"] = case.number
    return "Hello."
serve(run)
"""
IN_NODE = """\
import {{ serve }} from {folder!r};
await serve((task) => ((task.state.seen = 1), 'Hello.'));
"""


@pytest.mark.parametrize(
    "command",
    [
        pytest.param((sys.executable, "-c", IN_PYTHON.format(folder=str(CLIENTS / "python"))), id="python"),
        pytest.param(
            ("node", "--input-type=module", "-e", IN_NODE.format(folder=str(CLIENTS / "node" / "harness-client.mjs"))),
            id="node",
            marks=needs_node,
        ),
    ],
)
async def test_an_older_harness_hears_nothing_that_it_does_not_know(command: tuple[str, ...]) -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    printed, _ = await process.communicate(OLDER.read_bytes())
    (line,) = map(json.loads, printed.splitlines())
    assert (line["event"], line["text"], process.returncode) == ("final", "Hello.", 0)
