"""What the provider accepts breaks no rule."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.wire import Call, FinishReason, IssuedState, Text, ThinkingPart, Turn
from harness.wire.anthropic_messages import WIRE
from tests.wire.anthropic_messages.histories import ROUTE, TWO_CALLS, Body, Served, held_against, judge, user

ADAPTIVE: Body = {"type": "adaptive"}
MANUAL: Body = {"type": "enabled", "budget_tokens": 2000}


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        *[(model, thinking) for model in ("claude-sonnet-4-6", "local") for thinking in (ADAPTIVE, MANUAL, None)],
        ("claude-opus-5-5", ADAPTIVE),
        ("claude-opus-5-5", None),
        ("claude-haiku-4-5", MANUAL),
    ],
)
def test_correct_continuations(model: str, thinking: Body | None) -> None:
    case = Served(model=model, **({"thinking": thinking} if thinking else {}))
    case.answer(TWO_CALLS)
    case.answer(
        Turn(
            (ThinkingPart("", "omitted"), Text("Now the other."), Call("read_file", '{"a": 1}')),
            FinishReason.TOOL_CALLS,
        )
    )
    case.answer(Turn((Text("No thinking now."), Call("read_file", "{")), FinishReason.TOOL_CALLS))
    case.answer(Turn((Text("Done."),)))
    case.body["messages"].append(user("Thanks. And now?"))
    assert held_against(case.body, case.sent) == []


def test_a_paused_turn_goes_on() -> None:
    case = Served()
    case.answer(Turn((ThinkingPart("I must search."), Text("Searching.")), FinishReason.PAUSE))
    assert case.judge() == []
    case.answer(Turn((Text("Found."), Call("read_file", "{}")), FinishReason.TOOL_CALLS))
    assert case.judge() == []


def test_the_examples(shared: Path) -> None:
    examples = sorted((shared / "wire/examples").glob("ant-*.json"))
    assert len(examples) == 4
    assert {path.name: judge(json.loads(path.read_text())) for path in examples} == {path.name: [] for path in examples}


@pytest.mark.parametrize("name", ["ant-tool", "ant-parallel", "ant-pause-turn"])
def test_the_continuation_examples_continue_the_responses(shared: Path, name: str) -> None:
    examples = shared / "wire/examples"
    request = json.loads((examples / f"{name}.continue.json").read_text())
    first = {**request, "messages": request["messages"][:1]}
    sent = IssuedState()
    sent.add(WIRE.read(ROUTE, json.dumps(first).encode()), WIRE.parse("", (examples / f"{name}.sse").read_bytes()))
    assert judge(request, sent) == []
