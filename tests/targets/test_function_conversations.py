"""Loops in Python whose case has several runs, over loopback: cancelled, resumed, and told something meanwhile."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.runner import timeline
from harness.runner.execute import execute
from harness.runner.judging import judging
from harness.runner.plan import plan
from harness.targets.function import FunctionTarget
from harness.trace import Failure, Final
from tests.targets.command.conversation_cases import (
    ABLE,
    AT_REQUEST,
    EVERY,
    FOLLOW,
    IN_TEXT,
    IN_TOOL,
    RESUME,
    STEER,
    Conversation,
)
from tests.targets.command.running import Ran

pytestmark = pytest.mark.anyio

LOOPS = "tests.targets.conversing_loops"
BREAKING_OFF = ["converses", "gives_a_coroutine", "runs_in_a_task_of_its_own"]
SHORT = 0.2


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What only goes on when the harness no longer waits does not go on."""
    monkeypatch.setattr(timeline, "_PATIENCE", 600.0)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "_PATIENCE", SHORT)


async def driven(function: str, *conversations: Conversation, folder: Path, deadline: float = 600.0) -> dict[str, Ran]:
    """One case after another; no thread, no task and no connection of them is left."""
    endpoints = Endpoints()
    target = FunctionTarget(function, f"{LOOPS}:{function}", ABLE)
    planned = plan([each.scenario(folder) for each in conversations], target=target)
    before = set(threading.enumerate())
    async with serving(endpoints) as base_url:
        try:
            finished = await execute(planned, target, endpoints, base_url, jobs=1, judging=judging(), deadline=deadline)
            assert asyncio.all_tasks(target._thread._loop) == set()
            assert connections(base_url) == []
        finally:
            await target.close()
    assert [each for each in threading.enumerate() if each not in before and each.name == "blocking target"] == []
    return {each.result.scenario: Ran(each.result, each.trace) for each in finished}


def connections(base_url: str) -> list[str]:
    """The connections of clients to the endpoint that are open, as Linux lists them."""
    port = f":{int(base_url.rpartition(':')[2]):04X}"
    table = Path("/proc/self/net/tcp")
    rows = [line.split() for line in table.read_text().splitlines()[1:]] if table.exists() else []
    return [local for _, local, remote, state, *_ in rows if remote.endswith(port) and state in ("01", "08")]


def outcomes(results: dict[str, Ran]) -> dict[str, tuple[str, str | None, list[str]]]:
    return {name: (one.result.verdict, one.result.error, one.found) for name, one in results.items()}


@pytest.mark.usefixtures("patient")
@pytest.mark.parametrize("function", BREAKING_OFF)
async def test_an_async_loop_is_cancelled_wherever_it_is_and_goes_on_with_the_next_run(
    function: str, tmp_path: Path
) -> None:
    results = await driven(function, *EVERY, folder=tmp_path)
    assert outcomes(results) == {each.name: ("pass", None, []) for each in EVERY}
    assert not [event for one in results.values() for event in one.events if isinstance(event, Failure)]


@pytest.mark.usefixtures("patient")
async def test_a_function_that_blocks_is_told_by_what_it_has_named_and_its_tool_is_broken_off(tmp_path: Path) -> None:
    results = await driven("blocks_with_a_flag", FOLLOW, IN_TOOL, folder=tmp_path)
    assert outcomes(results) == {each.name: ("pass", None, []) for each in (FOLLOW, IN_TOOL)}


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("conversation", [IN_TEXT, AT_REQUEST], ids=lambda each: each.name)
async def test_a_function_that_waits_for_an_answer_looks_at_its_flag_when_the_next_piece_comes(
    conversation: Conversation, tmp_path: Path
) -> None:
    """Nothing ends its request, so the answer goes on after a while, in pieces: it takes one of them, and stops."""
    one = (await driven("blocks_with_a_flag", conversation, folder=tmp_path))[conversation.name]
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])
    ended = [exchange.response.end for exchange in one.trace.exchanges if exchange.response]
    assert ended == ["eof", "closed", "eof"]


@pytest.mark.parametrize("function", ["fails_when_it_is_cancelled", "leaves_when_it_is_cancelled"])
async def test_how_a_cancelled_run_ends_is_not_told(function: str, tmp_path: Path) -> None:
    one = (await driven(function, IN_TOOL, folder=tmp_path))["in-tool"]
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])
    assert [event for event in one.events if isinstance(event, Failure | Final)] == [one.events[-1]]


# --- loops that do not end ----------------------------------------------------------------------------------


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("function", ["takes_a_cancelled_tool_for_a_failed_one", "shields_itself"])
async def test_a_loop_that_goes_on_behind_a_tool_is_found(function: str, tmp_path: Path) -> None:
    one = (await driven(function, IN_TOOL, folder=tmp_path))["in-tool"]
    assert one.result.error is None
    assert "caller/cancelled" in one.found


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("function", ["shields_itself", "blocks_and_hears_nothing"])
@pytest.mark.parametrize("conversation", [AT_REQUEST, IN_TEXT], ids=lambda each: each.name)
async def test_a_loop_that_takes_the_rest_of_an_answer_is_found(
    function: str, conversation: Conversation, tmp_path: Path
) -> None:
    one = (await driven(function, conversation, folder=tmp_path))[conversation.name]
    assert (one.result.error, one.found) == (None, ["caller/cancelled"])


@pytest.mark.usefixtures("impatient")
async def test_a_loop_that_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "_GRACE", SHORT)
    one = (await driven("never_ends", IN_TOOL, folder=tmp_path))["in-tool"]
    assert one.result.verdict == "error"
    assert "it has not ended within 0.4 s" in (one.result.error or "")


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("function", "conversation", "said"),
    [
        ("has_a_listener_that_raises", STEER, "KeyError: 'In Fahrenheit please.'"),
        ("names_what_raises", IN_TOOL, "IndexError: list index out of range"),
        ("names_what_raises", IN_TEXT, "IndexError: list index out of range"),
    ],
)
async def test_a_callback_that_raises_is_an_error_of_its_case(
    function: str, conversation: Conversation, said: str, tmp_path: Path
) -> None:
    one = (await driven(function, conversation, folder=tmp_path))[conversation.name]
    assert one.result.error == f"What the loop has named by 'on_cancel' or 'on_say' has raised {said}"


# --- the state ----------------------------------------------------------------------------------------------


async def test_a_state_that_is_no_json_is_an_error_where_another_process_would_read_it(tmp_path: Path) -> None:
    results = await driven("keeps_what_is_no_json", FOLLOW, RESUME, folder=tmp_path)
    assert outcomes(results)["follow"] == ("pass", None, [])
    assert results["resume"].result.verdict == "error"
    said = "The 'state' of the run is no JSON (Object of type set is not JSON serializable); put into it what "
    assert (results["resume"].result.error or "").startswith(said)


async def test_in_one_process_any_object_is_kept(tmp_path: Path) -> None:
    results = await driven("keeps_an_object", FOLLOW, folder=tmp_path)
    assert outcomes(results)["follow"] == ("pass", None, [])
