"""Commands that print their events in AG-UI."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from harness.targets import Declaration
from harness.targets.command.target import CommandTarget
from harness.trace import AgUiRecord, Assistant, Final
from tests.targets.command.running import Ran, run, scenarios

pytestmark = pytest.mark.anyio

PROGRAM = """\
import os, sys, urllib.request
body = b'{"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Say hello."}]}'
headers = {"content-type": "application/json", "x-api-key": "k", "anthropic-version": "2023-06-01"}
url = os.environ["HARNESS_CASE_BASE_URL"] + "/v1/messages"
urllib.request.urlopen(urllib.request.Request(url, body, headers)).read()
print(sys.argv[1])
"""
RUN = {"threadId": "t", "runId": "r"}
HELLO = (
    {"type": "RUN_STARTED", **RUN},
    {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m", "delta": "Hello."},
    {"type": "RUN_FINISHED", **RUN},
)


async def ran(folder: Path, *events: object, mark: str = "data: ") -> Ran:
    printed = "\n".join(event if isinstance(event, str) else mark + json.dumps(event) + "\n" for event in events)
    able = Declaration(frozenset({"anthropic-messages"}))
    target = CommandTarget("mine", (sys.executable, "-IS", "-c", PROGRAM, printed), able, events="ag-ui")
    return (await run(target, scenarios(folder, 1)))["case-0"]


@pytest.mark.parametrize("mark", ["data: ", ""])
async def test_events_are_read_from_lines(mark: str, tmp_path: Path) -> None:
    found = await ran(tmp_path, *HELLO, mark=mark)
    assert (found.result.error, found.found) == (None, [])
    assert found.events == [Assistant("Hello.", "m"), Final("")]
    assert [each.type for each in found.trace.records if isinstance(each, AgUiRecord)][1:4] == [
        "TEXT_MESSAGE_START",
        "TEXT_MESSAGE_CONTENT",
        "TEXT_MESSAGE_END",
    ]


async def test_what_is_no_json_is_a_finding(tmp_path: Path) -> None:
    found = await ran(tmp_path, HELLO[0], "data: {", *HELLO[1:])
    assert found.found == ["agui/form"]


async def test_an_unknown_type_is_a_note(tmp_path: Path) -> None:
    found = await ran(tmp_path, HELLO[0], {"type": "TEXT_SUNG"}, *HELLO[1:])
    assert found.found == []
    assert found.result.notes == ("passed over: 1 of the unknown AG-UI event TEXT_SUNG",)


async def test_what_it_prints_beside_them_is_its_own(tmp_path: Path) -> None:
    found = await ran(tmp_path, "Hello there", *HELLO)
    assert found.found == []


async def test_a_run_with_open_calls_is_not_the_end(tmp_path: Path) -> None:
    call = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c", "toolCallName": "look", "delta": "{}"}
    found = await ran(tmp_path, HELLO[0], call, HELLO[2], *HELLO)
    assert [type(event) for event in found.events].count(Final) == 1


async def test_lines_of_our_own_protocol_are_still_read(tmp_path: Path) -> None:
    found = await ran(tmp_path, *HELLO[:2], '{"event": "final", "code": ""}', HELLO[2])
    assert found.events.count(Final("")) == 2
    assert "order/one-end" in found.found
