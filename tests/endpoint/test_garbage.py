"""What is left in memory of a request that has been answered."""

from __future__ import annotations

import gc

import pytest

from harness.endpoint import CaseEndpoint, ReceivedRequest, ResponsePlan
from harness.wire import Conversation, Message, NativeWireName, Result, Text, wire
from harness.wire.registry import native_wires
from tests.endpoint.endpoint import desk


def ask(endpoint: CaseEndpoint, history: list[Message]) -> None:
    speaker = wire(endpoint.case.wire)
    asked = speaker.write(Conversation(speaker.name, speaker.default_model, True, tuple(history)))
    route = endpoint.route("POST", asked.path)
    assert route is not None
    exchange, answer = endpoint.answer(ReceivedRequest(route, "POST", asked.path, {}, asked.body))
    assert isinstance(answer, ResponsePlan)
    endpoint.recorder.respond(exchange, answer.status, answer.headers)(answer.chunks)
    endpoint.ended(exchange, "eof")


def play(name: NativeWireName) -> CaseEndpoint:
    """A loop of two turns."""
    endpoint = desk(wire=name, refuse="nothing")
    history = [Message("user", (Text("What is in a?"),), "")]
    ask(endpoint, history)
    (reply,) = endpoint.issued.replies
    (call,) = reply.turn.calls
    ids = [call.id or ""]
    results = [Result(ids[0], '"a file"', name=call.name)]
    spoken = wire(name)
    ask(endpoint, [*history, *spoken.returned(reply, ids), *spoken.answers(reply, ids, results)])
    assert len(endpoint.issued.replies) == 2
    return endpoint


@pytest.mark.parametrize("name", native_wires())
def test_a_request_leaves_nothing_that_has_to_be_looked_for(name: NativeWireName) -> None:
    """A server looks for it hardly ever (``harness.ground.collecting``).

    Threads of other tests may leave some in the meantime, so it is tried up to five times.
    """
    play(name)  # what is made once, and kept
    gc.disable()
    gc.freeze()  # what other tests left is theirs
    try:
        assert 0 in (left_by_a_run(name) for _ in range(5))
    finally:
        gc.unfreeze()
        gc.enable()


def left_by_a_run(name: NativeWireName) -> int:
    """The number of objects that nothing but the collector would free after the two turns."""
    endpoint = play(name)
    left = gc.collect()
    assert endpoint.recorder.size
    return left
