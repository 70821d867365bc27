"""Commands whose case has several runs: what goes on from one to the next, and what they are told while they run."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from harness.runner import timeline
from harness.scenario import Scenario, load
from harness.targets import Declaration
from harness.targets.command import CommandTarget
from harness.trace import CallerRecord, Record, RequestRecord, ToolResult, ToolStart
from tests.targets.command.running import Ran, alive, run

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform != "linux", reason="what is left running is looked up in /proc"),
]

PROGRAM = Path(__file__).with_name("conversing.py")
ABLE = Declaration(
    frozenset({"anthropic-messages"}),
    capabilities=frozenset({"non-streaming", "parallel", "follow-up", "cancel", "steer", "resume"}),
)

SCENARIO = """\
scenario: conversation
profile: universal
summary: Several runs.
wires: [anthropic-messages]
stream: false
prompt: How warm is it in Oslo, and what time is it?
tools:
  - name: get_weather
    description: The weather in a city.
    parameters: &city {type: object, properties: {city: {type: string}}}
    returns: {celsius: 21}
  - name: get_time
    description: The time in a city.
    parameters: *city
    returns: {time: '12:05'}
timeline:
%s
model:
  - calls: [{get_weather: {city: Oslo}}, {get_time: {city: Oslo}}]
  - text: It is 21 degrees.
%s
expect: {outcome: completed}
"""
MORE = "  - text: You are welcome."

CANCEL = """\
  - {when: {turn: 1, call: 2}, do: cancel}
  - {when: end, do: {say: Never mind the time.}}
"""
FOLLOW = "  - {when: end, do: {say: Thanks.}}\n"
RESUME = "  - {when: end, do: {say: Thanks., resume: true}}\n"
STEER = "  - {when: {turn: 1, call: 1}, do: {say: In Fahrenheit please.}}\n"


def scenario(folder: Path, timeline: str) -> Scenario:
    more = MORE if timeline in (FOLLOW, RESUME) else ""
    (folder / "one.yaml").write_text(SCENARIO % (timeline, more), encoding="utf-8")
    (one,) = load([folder / "one.yaml"])
    return one


async def ran(
    folder: Path,
    timeline: str,
    *,
    manner: str = "keep",
    persistent: bool = False,
    environment: Mapping[str, str] | None = None,
    deadline: float = 30.0,
) -> Ran:
    """The case with this timeline. Nothing of the program runs afterwards."""
    mark = secrets.token_hex(8)
    command = (sys.executable, "-IS", str(PROGRAM), manner)
    target = CommandTarget("cmd", command, ABLE, {"TEST_MARK": mark, **(environment or {})}, persistent=persistent)
    (one,) = (await run(target, [scenario(folder, timeline)], deadline=deadline)).values()
    assert alive(mark) == []
    return one


def acts(one: Ran) -> list[str]:
    """What happened, in order: what the caller did, tools, requests."""
    return [word for record in one.trace.records if (word := act(record))]


def act(record: Record) -> str:
    match record:
        case CallerRecord(did=did):
            return did
        case RequestRecord():
            return "request"
    event = getattr(record, "event", None)
    kinds: dict[type, str] = {ToolStart: "start", ToolResult: "result"}
    return f"{kinds[type(event)]} {event.name}" if isinstance(event, ToolStart | ToolResult) else ""


both = pytest.mark.parametrize("persistent", [False, True], ids=["a process each", "persistent"])


@both
@pytest.mark.parametrize("words", [FOLLOW, RESUME], ids=["follow-up", "resumed"])
async def test_a_run_goes_on_from_what_the_one_before_has_stored(
    tmp_path: Path, words: str, *, persistent: bool
) -> None:
    starts = tmp_path / "starts"
    one = await ran(tmp_path, words, persistent=persistent, environment={"TEST_STARTS": str(starts)})
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])
    assert acts(one)[-2:] == ["run", "request"]
    (first, *told), (second, *then) = (line.split() for line in starts.read_text().splitlines())
    assert (told, then) == (["1", "False"], ["2", str(words is RESUME)])
    assert (first == second) is (persistent and words is FOLLOW)  # who resumes is another process


@both
async def test_one_that_stores_nothing_does_not_know_what_was_said(tmp_path: Path, *, persistent: bool) -> None:
    one = await ran(tmp_path, FOLLOW, manner="forget", persistent=persistent)
    assert one.result.verdict == "fail"
    assert one.found == ["history/append-only"]


@both
async def test_a_call_is_not_answered_once_the_run_is_cancelled(tmp_path: Path, *, persistent: bool) -> None:
    one = await ran(tmp_path, CANCEL, persistent=persistent)
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])
    tools = ["start get_weather", "result get_weather", "start get_time"]
    assert acts(one) == ["request", *tools, "cancel", "run", "request"]


async def test_one_that_is_cancelled_may_exit_as_it_likes(tmp_path: Path) -> None:
    only_cancelled = CANCEL.splitlines(keepends=True)[0]
    one = await ran(tmp_path, only_cancelled, manner="exit")
    assert one.result.error is None
    assert one.events == [event for event in one.events if isinstance(event, ToolStart | ToolResult)]


@both
async def test_one_that_goes_on_is_found_once_it_has_had_its_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, persistent: bool
) -> None:
    monkeypatch.setattr(timeline, "_PATIENCE", 0.2)
    one = await ran(tmp_path, CANCEL, manner="go_on", persistent=persistent)
    assert (one.result.verdict, one.result.error) == ("fail", None)
    assert one.found.count("caller/cancelled") == 2  # the tool ended, and the model was asked
    assert acts(one)[4:7] == ["cancel", "result get_time", "request"]


@both
async def test_one_that_does_not_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, persistent: bool
) -> None:
    monkeypatch.setattr(timeline, "_PATIENCE", 0.2)
    monkeypatch.setattr(timeline, "_GRACE", 0.2)
    one = await ran(tmp_path, CANCEL, manner="hang", persistent=persistent)
    assert one.result.verdict == "error"
    said = (
        "The caller has cancelled the run, and it has not ended within 0.4 s. A loop that is cancelled must end its run"
    )
    assert (one.result.error or "").startswith(said)


@both
async def test_what_the_user_says_comes_before_the_result(tmp_path: Path, *, persistent: bool) -> None:
    one = await ran(tmp_path, STEER, persistent=persistent)
    assert (one.result.verdict, one.result.error, one.found) == ("pass", None, [])
    assert acts(one)[1:4] == ["start get_weather", "say", "result get_weather"]


# --- what is no state ---------------------------------------------------------------------------------------

WRITES: Any = "import json, sys; case = json.loads(sys.stdin.readline()); print({line}, flush=True)"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("'{\"state\": [1]}'", 'expected {"state": OBJECT}, with nothing beside it.\n    {"state": [1]}'),
        ('\'{"state": {}, "run": 1}\'', 'expected {"state": OBJECT}, with nothing beside it.\n    {"state": {}, "run"'),
        ('\'{"state": {"x": NaN}}\'', 'NaN and Infinity are no JSON.\n    {"state": {"x": NaN}}'),
        ("'{\"state\": {\"x\": \"' + 'x' * 2 ** 23 + '\"}}'", 'a state of more than 8 MiB.\n    {"state": {"x": "xxx'),
    ],
    ids=["a list", "more members", "NaN", "too large"],
)
async def test_a_line_that_is_no_state_is_shown(tmp_path: Path, line: str, said: str) -> None:
    target = CommandTarget("cmd", (sys.executable, "-ISc", WRITES.format(line=line)), ABLE)
    (one,) = (await run(target, [scenario(tmp_path, FOLLOW)])).values()
    assert one.result.verdict == "error"
    assert f"Line 1 of its standard output is no event: {said}" in (one.result.error or "")
