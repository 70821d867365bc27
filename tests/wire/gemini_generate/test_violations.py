"""What the declared requests of the rules do not show: examples, odd spellings, order, memory, and what the work costs.

``harness lab selftest`` judges the wrong and right requests of each rule, and the stated findings are to the word.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import Call, FinishReason, Identity, IssuedState, Turn
from harness.wire.gemini_generate import WIRE
from tests.wire.gemini_generate.samples import MODEL, STREAM_PATH, WHOLE_PATH, conversation, model, response, user


def judged(contents: list[Any], sent: IssuedState | None = None, *, of: str = MODEL, **members: Any) -> list[Finding]:
    path = WHOLE_PATH.replace(MODEL, of)
    return WIRE.violations(conversation(contents, path=path, **members), sent or IssuedState())


@pytest.mark.parametrize("name", ["gem-tool.continue", "gem-parallel.continue", "gem-tool.request"])
def test_example_continuations_break_nothing(name: str, shared: Path) -> None:
    route = WIRE.route("POST", STREAM_PATH)
    assert route is not None
    examples = shared / "wire/examples"
    asked = WIRE.read(route, (examples / f"{name}.json").read_bytes())
    sent = IssuedState()
    sent.add(asked, WIRE.parse("text/event-stream", (examples / f"{name.partition('.')[0]}.sse").read_bytes()))
    assert WIRE.violations(asked, sent) == []


ODD: dict[str, dict[str, Any]] = {
    "every spelling": {"generation_config": {"thinkingConfig": {"include_thoughts": True}}, "generationConfig": {}},
    "numbers of enumerations": {"safetySettings": [{"category": 10, "threshold": 3}]},
    "numbers as texts": {"generationConfig": {"seed": "5", "temperature": "1e-1", "topK": 40.0, "topP": 1}},
    "a tool of another kind": {"tools": {"timeMachine": {}}},
}


@pytest.mark.parametrize("name", ODD)
def test_what_the_json_reader_of_protobuf_accepts_breaks_nothing(name: str) -> None:
    assert judged([user("a")], **ODD[name]) == []


def test_faults_of_the_shape_come_in_the_order_of_the_body() -> None:
    found = judged([{"parts": [{"text": 1}, {"text": 2}]}], generationConfig={"seed": "x"})
    assert [each.answered.place for each in found] == [
        "contents[0].parts[0].text",
        "contents[0].parts[1].text",
        "generation_config.seed",
    ]


@pytest.mark.parametrize(("letters", "too_many"), [(8192, False), (8193, True)])
def test_texts_of_one_letter_are_a_token_each(letters: int, too_many: bool) -> None:
    found = judged([user(*["a"] * letters)], of="gemini-2.5-flash-preview-tts")
    assert ("GEM-20" in [finding.id for finding in found]) is too_many


# --- what was issued ----------------------------------------------------------------------------------------


def answered(sent: IssuedState, contents: list[Any], *calls: Call) -> list[Any]:
    """The next turn: the model's calls, and their results."""
    asked = conversation(contents, path=WHOLE_PATH)
    reply = WIRE.render(Turn(calls, FinishReason.TOOL_CALLS), Identity(f"{len(sent.turns)}"), asked).reply
    sent.add(asked, reply)
    made = [part["functionCall"] for part in reply.items]
    results = [response(call["name"], call.get("id", "")) for call in made]
    return [*contents, model(*copy.deepcopy(list(reply.items))), user(*results)]


def test_the_memory_grows_with_what_is_sent() -> None:
    """Judged after every reply or only at the end: the findings are the same."""
    sent, contents = IssuedState(), [user("Go.")]
    for number in range(3):
        contents = answered(sent, contents, Call("f", f'{{"n": {number}}}'))
        judged(contents, sent)
    wrong = [*contents[:-1], user(response("g", "x"))]
    kept = judged(wrong, sent)
    sent.memory = None
    assert judged(wrong, sent) == kept != []


# --- cost ---------------------------------------------------------------------------------------------------


def calls_made(work: Callable[[], object]) -> int:
    """How often a function is called, or returns."""
    count = 0

    def trace(*_: Any) -> None:
        nonlocal count
        count += 1

    sys.setprofile(trace)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


def test_the_work_is_linear_in_the_history() -> None:
    """Twice the history, about twice the calls of the comparison: no turn is compared with every other."""
    signed = {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "c2lnbmVk"}

    def work(turns: int) -> int:
        asked = conversation([user("a"), *[model(signed), user(response("f"))] * turns])
        return calls_made(lambda: WIRE.violations(asked, IssuedState()))

    assert work(80) < 2.2 * work(40)


@pytest.mark.parametrize("call_id", [None, "", "same"])
def test_the_work_is_linear_in_what_was_issued(call_id: str | None) -> None:
    def work(turns: int) -> int:
        sent, contents = IssuedState(), [user("Go.")]
        for _ in range(turns):
            contents = answered(sent, contents, Call("f", '{"a": 1}', call_id), Call("f", '{"a": 1}', ""))
        asked = conversation(contents)
        found: list[Finding] = []
        count = calls_made(lambda: found.extend(WIRE.violations(asked, sent)))
        assert found == []
        return count

    assert work(60) < 2.2 * work(30)
