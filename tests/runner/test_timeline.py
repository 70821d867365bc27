"""What the caller does happens at its moment, and nothing of the case goes past it before it has had its effect."""

from __future__ import annotations

import json
from pathlib import Path

from harness.api import CaseRun
from harness.runner.direct import run_scenarios
from harness.runner.execute import Finished
from harness.trace import CallerRecord, EventRecord, RequestRecord, ResponseRecord, ToolResult, Trace
from harness.wire import wire

HEAD = """\
scenario: caller
profile: universal
suite: situations
summary: What a caller does in a test.
wires: [openai-chat]
prompt: What is the weather in Oslo?
tools:
  - name: get_weather
    description: The weather in a city now.
    parameters: {type: object, properties: {city: {type: string}}, required: [city]}
    returns: {celsius: 18}
"""
MODEL = """
model:
  - text: I will look at it now.
    calls:
      - get_weather: {city: Oslo}
      - get_weather: {city: Bergen}
  - text: It is 18 degrees.
  - text: Yes.
expect:
  outcome: completed
"""


def run(folder: Path, timeline: str, target: object = "reference", model: str = MODEL) -> Finished:
    path = folder / "caller.yaml"
    path.write_text(f"{HEAD}timeline:\n{timeline}{model}", encoding="utf-8")
    (finished,) = run_scenarios([path], target)  # type: ignore[arg-type]
    return finished


def kinds(trace: Trace) -> list[str]:
    """The records in short: what the caller does, requests and responses, and results of tools."""
    found: list[str] = []
    for record in trace.records:
        if isinstance(record, CallerRecord):
            found.append(record.did)
        elif isinstance(record, RequestRecord):
            found.append(f"request {record.exchange + 1}")
        elif isinstance(record, ResponseRecord):
            found.append(f"response {record.exchange + 1} {record.end}")
        elif isinstance(record, EventRecord) and isinstance(record.event, ToolResult):
            found.append(f"{'ok' if record.event.ok else 'failed'} {record.event.id[-1:]}")
    return found


def said(trace: Trace, exchange: int) -> str:
    return next(each.request.body.decode() for each in trace.exchanges if each.request.exchange == exchange)


END = '  - {when: end, do: {say: "Is it warm?"}}\n'


def test_a_run_is_cancelled_while_its_text_arrives(tmp_path: Path) -> None:
    finished = run(tmp_path, "  - {when: {turn: 1, characters: 10}, do: cancel}\n" + END)
    assert finished.result.findings == ()
    assert kinds(finished.trace) == [
        "request 1",
        "cancel",
        "response 1 closed",
        "run",
        "request 2",
        "response 2 eof",
    ]
    speaker, response = wire("openai-chat"), finished.trace.exchanges[0].response
    assert response is not None
    arrived = speaker.parse(response.headers["content-type"], response.body).turn.text
    assert 10 <= len(arrived) < len("I will look at it now.")
    assert arrived in said(finished.trace, 1)


def test_a_run_is_cancelled_while_arguments_arrive(tmp_path: Path) -> None:
    finished = run(tmp_path, "  - {when: {turn: 1, call: 2, characters: 3}, do: cancel}\n" + END)
    assert finished.result.findings == ()
    assert "ok" not in " ".join(kinds(finished.trace))
    assert "tool_calls" not in said(finished.trace, 1)


def test_a_run_is_cancelled_when_a_request_has_arrived(tmp_path: Path) -> None:
    finished = run(tmp_path, "  - {when: {request: 2}, do: cancel}\n" + END)
    assert finished.result.findings == ()
    (at,) = [at for at, each in enumerate(kinds(finished.trace)) if each == "cancel"]
    assert kinds(finished.trace)[at - 1 : at + 2] == ["request 2", "cancel", "response 2 closed"]
    assert finished.trace.exchanges[1].response is not None
    assert finished.trace.exchanges[1].response.body == b""


def test_a_tool_stops_at_its_moment_and_the_earlier_one_has_its_result(tmp_path: Path) -> None:
    finished = run(tmp_path, "  - {when: {turn: 1, call: 2}, do: cancel}\n" + END)
    assert finished.result.findings == ()
    assert next(each for each in kinds(finished.trace) if each.split()[0] in ("ok", "failed", "cancel")).startswith(
        "ok"
    )
    results = [each for each in json.loads(said(finished.trace, 1))["messages"] if each["role"] == "tool"]
    assert json.loads(results[0]["content"]) == {"celsius": 18}
    assert "Cancelled" in results[1]["content"]


def test_what_the_user_says_meanwhile_is_behind_the_results(tmp_path: Path) -> None:
    finished = run(tmp_path, '  - {when: {turn: 1, call: 1, ended: true}, do: {say: "Hurry."}}\n')
    assert finished.result.findings == ()
    roles = [each["role"] for each in json.loads(said(finished.trace, 1))["messages"]]
    assert roles == ["user", "assistant", "tool", "tool", "user"]


def test_a_final_answer_is_followed_by_what_was_said_meanwhile(tmp_path: Path) -> None:
    finished = run(tmp_path, '  - {when: {turn: 2, characters: 5}, do: {say: "Hurry."}}\n')
    assert finished.result.findings == ()
    messages = json.loads(said(finished.trace, 2))["messages"]
    assert [(each["role"], each["content"]) for each in messages[-2:]] == [
        ("assistant", "It is 18 degrees."),
        ("user", "Hurry."),
    ]


async def answers(case: CaseRun) -> str:
    return "Yes."


COMPACTED = """
model:
  - text: Hello.
  - text: I will look at it now.
    calls:
      - get_weather: {city: Oslo}
  - text: It is 18 degrees.
expect:
  outcome: completed
"""


def test_a_summary_is_no_turn_of_the_script(tmp_path: Path) -> None:
    timeline = """\
  - {when: {turn: 2, call: 1, ended: true}, do: {say: "In Fahrenheit."}}
  - {when: end, do: {say: "Is it warm?", compact: true}}
"""
    finished = run(tmp_path, timeline, model=COMPACTED)
    assert finished.result.verdict == "pass"
    texts = [record.text for record in finished.trace.records if isinstance(record, CallerRecord) and record.text]
    assert texts == ["Is it warm?", "In Fahrenheit."]


BROKEN = """
model:
  - parts:
      - call: {name: get_weather, arguments: '{"city": "Oslo"}'}
    ending: eof
  - parts:
      - call: {name: get_weather, arguments: '{"city": "Oslo"}', id: none}
  - text: Yes.
expect:
  outcome: [completed, failed]
"""


def test_a_call_without_an_id_is_none_of_an_answer_that_broke_before(tmp_path: Path) -> None:
    moments = [f"  - {{when: {{turn: {turn}, call: 1, ended: true}}, do: {{say: 'In {turn}.'}}}}\n" for turn in (1, 2)]
    trace = run(tmp_path, "".join(moments) + END, model=BROKEN).trace
    texts = [record.text for record in trace.records if isinstance(record, CallerRecord)]
    assert texts == ["Is it warm?", "In 2."]


def test_who_names_the_model_again_on_which_the_conversation_goes_on_does_not_switch(tmp_path: Path) -> None:
    end = '  - {when: end, do: {say: "Is it warm?", wire: openai-chat, model: gpt-5.2}}\n'
    finished = run(tmp_path, end * 2, model=MODEL.replace("  - text: Yes.", "  - text: Yes.\n  - text: Yes."))
    assert finished.result.verdict == "pass"
    begun = [record for record in finished.trace.records if isinstance(record, CallerRecord)]
    assert [(record.model, record.wire) for record in begun] == [("gpt-5.2", "openai-chat"), ("", "")]


def test_a_loop_that_declares_nothing_is_skipped_with_the_reason(tmp_path: Path) -> None:
    finished = run(tmp_path, END, answers)
    assert finished.result.verdict == "skip"
    assert finished.result.reason.startswith("needs another run in the same conversation; declare `follow-up`")


def test_a_moment_that_does_not_come_is_reported(tmp_path: Path) -> None:
    timeline = (
        "  - {when: {turn: 1, call: 1}, do: cancel}\n" + END + "  - {when: {turn: 3, characters: 1}, do: cancel}\n"
    )
    finished = run(tmp_path, timeline)
    assert [(each.rule, each.expected) for each in finished.result.findings] == [
        ("expect/timeline", "the moment at which 1 characters of turn 3 have arrived")
    ]
