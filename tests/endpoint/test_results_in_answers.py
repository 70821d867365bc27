"""An answer of the script that names members of results says what the request says of them."""

from __future__ import annotations

import json

import pytest

from harness.endpoint import (
    BuiltInModel,
    CaseConversation,
    CaseEndpoint,
    Conversations,
    Endpoints,
    ScriptSource,
    SideScript,
)
from harness.scenario import Cut, HttpErrorStep, Step, TurnStep
from harness.wire import Call, FinishReason, Text, Turn
from tests.endpoint.endpoint import PATH, desk, opened, question, turn_back

CALLS = TurnStep(Turn((Call("look", '{"at":1}'), Call("look", '{"at":2}')), FinishReason.TOOL_CALLS))
SAYS = TurnStep(Turn((Text("{{result.1.seen}}, {{result.2.seen}}."),)), uses_results=True)


def ask(case: CaseEndpoint, endpoints: Endpoints, *messages: object, stream: bool = True) -> str:
    answer = endpoints.answer("POST", f"/case/a-case{PATH}", {}, question(*messages, stream=stream))[2]
    assert answer.status == 200
    assert answer.reply is not None
    return answer.reply.turn.text


def results(case: CaseEndpoint | CaseConversation, *texts: str) -> list[object]:
    """The messages that answer the two calls."""
    calls = case.issued.replies[-1].turn.calls
    return [{"role": "tool", "tool_call_id": call.id, "content": text} for call, text in zip(calls, texts, strict=True)]


SHIP, BOAT = json.dumps({"seen": "a ship"}), json.dumps({"seen": "a boat"})


PLAIN = TurnStep(Turn((Text("{{result.1.seen}}"),)))


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize(
    ("step", "texts", "said"),
    [
        (SAYS, (SHIP, BOAT), "a ship, a boat."),
        (SAYS, (BOAT, SHIP), "a boat, a ship."),
        (PLAIN, (SHIP, BOAT), "{{result.1.seen}}"),
    ],
    ids=["in-order", "swapped", "names-nothing"],
)
def test_the_answer_says_what_the_request_says(step: Step, texts: tuple[str, ...], said: str, *, stream: bool) -> None:
    case = desk((CALLS, step))
    endpoints = opened(case)
    ask(case, endpoints, stream=stream)
    assert ask(case, endpoints, turn_back(case), *results(case, *texts), stream=stream) == said
    assert case.unresolved == []


def test_what_the_request_does_not_have_is_noted_with_its_answer() -> None:
    case = desk((CALLS, SAYS))
    endpoints = opened(case)
    ask(case, endpoints)
    said = ask(case, endpoints, turn_back(case), *results(case, "land", BOAT))
    assert said == "{{result.1.seen}}, a boat."
    ((exchange, step, unresolved),) = case.unresolved
    assert (exchange, step, str(unresolved.member), unresolved.tool) == (1, SAYS, "{{result.1.seen}}", "look")
    assert unresolved.got == "'land'"


@pytest.mark.parametrize("before", [HttpErrorStep(500), TurnStep(CALLS.turn, Cut(3))])
def test_an_answer_that_failed_before_it_makes_no_difference(before: Step) -> None:
    case = desk((before, CALLS, SAYS))
    endpoints = opened(case)
    endpoints.answer("POST", f"/case/a-case{PATH}", {}, question())
    ask(case, endpoints)
    assert ask(case, endpoints, turn_back(case), *results(case, SHIP, BOAT)) == "a ship, a boat."


def test_a_conversation_beside_the_main_one_goes_on_with_its_own_results() -> None:
    side = SideScript("Sea", lambda: ScriptSource((CALLS, SAYS), BuiltInModel()))
    apart = Conversations([("user", "hi")], ["read"], [side], BuiltInModel)
    case = desk([SAYS], apart=apart)
    endpoints = opened(case)

    def say(*messages: object) -> str:
        body = {"model": "gpt-4.1", "messages": [{"role": "system", "content": "Sea."}, *messages]}
        answer = endpoints.answer("POST", f"/case/a-case{PATH}", {}, json.dumps(body).encode())[2]
        assert answer.reply is not None
        return answer.reply.turn.text

    start = {"role": "user", "content": "Look."}
    say(start)
    (beside,) = case.apart
    reply = beside.issued.replies[-1]
    assert say(start, reply.items[0], *results(beside, SHIP, BOAT)) == "a ship, a boat."
