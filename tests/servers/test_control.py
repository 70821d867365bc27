"""Our own endpoint as the server: what it sends breaks no rule, but where a scenario has it say what is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import httpx2
import pytest

from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource, refusing
from harness.endpoint.server import serving
from harness.ground.bounded_json import loads
from harness.scenario import Scenario, TurnStep, load, shipped
from harness.servers.rules import ReceivedResponse, judge_response
from harness.trace import Case
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Message,
    NativeWireName,
    Refusal,
    Text,
    Turn,
    wire,
)

pytestmark = pytest.mark.anyio

FOUR: tuple[NativeWireName, ...] = ("openai-chat", "openai-responses", "anthropic-messages", "gemini-generate")
USER = Message("user", (Text("Go on."),), "")


@cache
def scenarios() -> tuple[Scenario, ...]:
    return tuple(load([shipped()]))


def is_sound(name: NativeWireName, turn: Turn) -> bool:
    """Whether a server that works says such a turn. Scripts also say what is wrong, for loops to stumble over."""
    empty = wire(name).object_arguments
    ids = [call.id for call in turn.calls if call.id is not None]
    cut = turn.stop in (FinishReason.MAX_TOKENS, FinishReason.CONTENT_FILTER) or turn.error is not None
    refuses = any(isinstance(part, Refusal) for part in turn.parts)
    return (
        turn.ending == "complete"
        and all(ids)
        and len(ids) == len(set(ids))
        and (cut or all(is_object(call, empty=empty) for call in turn.calls))
        and not (refuses and turn.calls)
        and all(part.text for part in turn.parts if isinstance(part, Text))
        and all(piece.native.get("text") != "" for piece in turn.natives)
        and (cut or not turn.calls or turn.stop is FinishReason.TOOL_CALLS)
    )


def is_object(call: Call, *, empty: bool) -> bool:
    """Whether the arguments are one; ``empty``: no text at all is, too."""
    try:
        return isinstance(loads(call.arguments or "{}" * empty), dict)
    except ValueError:
        return False


def first_turns(name: NativeWireName) -> Iterator[tuple[str, Turn]]:
    """Each turn of the shipped scenarios for a wire that is sound and in neutral words, with a name for a case."""
    seen: set[Turn] = set()
    for scenario in scenarios():
        if name not in scenario.wires or scenario.plays:
            continue
        for number, step in enumerate(scenario.steps, 1):
            is_new = isinstance(step, TurnStep) and step.native is None and step.turn not in seen
            if is_new and is_sound(name, step.turn):
                seen.add(step.turn)
                yield f"{scenario.name}-{number}", step.turn


def opened(gateway: Endpoints, name: NativeWireName, case_id: str, turn: Turn) -> None:
    case = Case(id=case_id, scenario=case_id, wire=name, chunking="event")
    source = ScriptSource((TurnStep(turn),))
    gateway.open(case_id, CaseEndpoint(case, source, clock=lambda: 0.0, enforcement=refusing("nothing")))


async def judged(name: NativeWireName, turns: list[tuple[str, Turn]]) -> tuple[int, list[str]]:
    """Each turn, asked for over HTTP, streamed and not: how many answers came, and what was found in them."""
    gateway, found, answers = Endpoints(), [], 0
    async with serving(gateway) as base, httpx2.AsyncClient(trust_env=False) as http:
        for where, turn in turns:
            for stream in (True, False):
                case_id = f"{where}-{stream}".lower()
                opened(gateway, name, case_id, turn)
                spoken = wire(name)
                asked = Conversation(name, spoken.default_model, stream, (USER,), body=dict(spoken.settings))
                request = spoken.write(asked)
                response = await http.post(f"{base}/case/{case_id}{request.path}", content=request.body)
                content_type = response.headers.get("content-type", "")
                body = loads(request.body)
                received = ReceivedResponse(content_type, response.content, response.status_code, body)
                answers += 1
                found += [f"{case_id}: {each.name} {each.detail} {each.got}" for each in judge_response(name, received)]
    return answers, found


@pytest.mark.parametrize("name", FOUR)
async def test_a_sample_of_what_our_endpoint_sends_breaks_no_rule(name: NativeWireName) -> None:
    answers, found = await judged(name, list(first_turns(name))[::12])
    assert found == []
    assert answers > 30


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", FOUR)
async def test_nothing_that_our_endpoint_sends_breaks_a_rule(name: NativeWireName) -> None:
    answers, found = await judged(name, list(first_turns(name)))
    assert found == []
    assert answers > 400


def test_an_unsound_turn_is_recognised() -> None:
    sound = Turn((Text("Yes."), Call("read", "{}")), FinishReason.TOOL_CALLS)
    assert is_sound("openai-chat", sound)
    for unsound in (
        Turn((Text("Yes."),), ending="eof"),
        Turn((Call("read", "{"),), FinishReason.TOOL_CALLS),
        Turn((Call("read", ""),), FinishReason.TOOL_CALLS),
        Turn((Call("read", "{}", ""),), FinishReason.TOOL_CALLS),
        Turn((Call("read", "{}", "a"), Call("read", "{}", "a")), FinishReason.TOOL_CALLS),
        Turn((Text(""),)),
        Turn((Call("read", "{}"),)),
    ):
        assert not is_sound("openai-chat", unsound)
