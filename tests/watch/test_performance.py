"""Which case is watched, and that it runs, tells and is judged as ``harness run`` does it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.errors import BadInput
from harness.report.entries import severity
from harness.runner.execute import execute
from harness.runner.opening import open_target
from harness.scenario import shipped
from harness.trace import Case, EventRecord
from harness.trace.parsing import read_record
from harness.watch import Performance, chosen_case
from harness.watch.messages import Message, event_message, written

pytestmark = pytest.mark.anyio

FILE = shipped() / "universal" / "tool-returns.yaml"


async def told(subject: str, target: str = "reference") -> list[Message]:
    messages: list[Message] = []
    item = await chosen_case(subject, wire="openai-chat", target=target)
    await Performance(item, target, severity)(messages.append)
    return messages


async def test_the_messages_are_the_events_of_the_trace_between_the_case_and_the_verdict() -> None:
    item = await chosen_case("create-then-edit", wire="openai-chat", target="reference")
    endpoints = Endpoints()
    target = open_target("reference", endpoints)
    (run,) = await execute([item], target, endpoints, "http://harness")
    await target.close()

    first, *events, last = await told("create-then-edit")
    assert Case(**first["case"]) == item.case
    assert first["prompt"][1] == {"role": "user", "text": item.scenario.prompt[1][1]}
    assert events == [event_message(each.event) for _, each in run.trace.events]
    assert (last["verdict"], last["requests"], last["findings"], last["error"]) == ("pass", 3, [], None)


async def test_a_front_end_may_read_an_event_as_a_line_of_a_trace() -> None:
    _, *events, _ = await told("create-then-edit")
    records = [read_record("a message", written(event)) for event in events]
    assert [event_message(record.event) for record in records if isinstance(record, EventRecord)] == events


async def test_a_broken_loop_is_found_out_and_the_place_is_told() -> None:
    _, *events, last = await told("tool-returns", "mutant:wrong-call-id")
    assert last["verdict"] == "fail"
    finding = next(each for each in last["findings"] if each["rule"].startswith("continuation/openai-chat"))
    assert finding["expected"] != finding["got"]
    assert events[finding["event"] - 1] == {"event": "turnStart", "turn": 2}  # told just before the wrong request


async def test_every_run_is_a_run_of_its_own() -> None:
    first, second = await told("tool-returns"), await told("tool-returns")
    for messages in (first, second):
        del messages[-1]["seconds"]
    assert first == second


# --- what is chosen ---------------------------------------------------------------------------------------


async def test_a_scenario_is_found_by_its_name_and_by_its_file() -> None:
    by_name = await chosen_case("tool-returns", wire=None, target="reference")
    by_file = await chosen_case(str(FILE), wire=None, target="reference")
    assert by_name == by_file
    assert by_name.case.chunking == "event"
    assert by_name.case.wire == by_name.scenario.wires[0]


@pytest.mark.parametrize(
    ("subject", "target", "said"),
    [
        ("tool-return", "reference", "no scenario and no file is called 'tool-return'; did you mean tool-returns"),
        ("xyz", "reference", "'harness list' shows the scenarios"),
        (str(FILE.parent), "reference", "a folder; expected one scenario"),
        ("tool-returns", "referense", "--target 'referense' is unknown; did you mean reference"),
        ("create-then-edit", "reference:hugind", "keeps hugind, universal; scenario create-then-edit is of screenshot"),
    ],
)
async def test_what_is_unknown_is_said(subject: str, target: str, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        await chosen_case(subject, wire=None, target=target)


async def test_a_wire_that_the_scenario_does_not_run_on(tmp_path: Path) -> None:
    text = FILE.read_text(encoding="utf-8").replace("\nprompt:", "\nwires: [openai-chat]\nprompt:", 1)
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    assert (await chosen_case(str(file), wire=None, target="reference")).case.wire == "openai-chat"
    with pytest.raises(BadInput, match="--wire gemini-generate: tool-returns on reference runs on openai-chat"):
        await chosen_case(str(file), wire="gemini-generate", target="reference")


async def test_a_loop_in_a_thread_of_its_own_is_watched_in_order() -> None:
    messages: list[Message] = []
    item = await chosen_case("tool-without-arguments", wire="openai-chat", target="tests.targets.loops:Agent")
    await Performance(item, "tests.targets.loops:Agent", severity)(messages.append)
    told = [message.get("event", *message.keys() & {"case", "verdict"}) for message in messages]
    assert told == ["case", "toolStart", "toolResult", "assistant", "final", "verdict"]
    assert messages[-1]["verdict"] == "pass"
