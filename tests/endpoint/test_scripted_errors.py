"""An error that a script has in a stream, asked for with a stream and without."""

from __future__ import annotations

import json
from typing import get_args

import pytest

from harness.endpoint import CaseEndpoint, ResponsePlan
from harness.scenario import TurnStep
from harness.scenario.model import NativeAnswer
from harness.wire import StreamError, Text, Turn, WireName, native_wires
from harness.wire.turn import ErrorKind
from tests.endpoint.endpoint import answered as delivered
from tests.endpoint.endpoint import desk, greeting, opened

KINDS: tuple[ErrorKind, ...] = get_args(ErrorKind)
STATUSES = {"overloaded": 503, "server_error": 500, "rate_limit": 429, "context_length": 400}


def answered(
    name: WireName, kind: ErrorKind, *, stream: bool, native: NativeAnswer | None = None
) -> tuple[CaseEndpoint, ResponsePlan]:
    script = [TurnStep(Turn((Text("Half"),), error=StreamError(kind, "The lock is shut.")), native=native)]
    case = desk(script, wire=name)
    request = greeting(name, stream=stream)
    return case, delivered(opened(case), request.path, request.body, {"content-type": "application/json"})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", native_wires())
def test_a_streamed_request_gets_it_in_its_stream(name: WireName, kind: ErrorKind) -> None:
    case, plan = answered(name, kind, stream=True)
    assert plan.status == 200
    assert len(case.replies) == 1
    assert b"The lock is shut." in b"".join(plan.chunks)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [name for name in native_wires() if name != "openai-responses"])
def test_any_other_request_gets_it_as_an_http_error(name: WireName, kind: ErrorKind) -> None:
    case, plan = answered(name, kind, stream=False)
    overloaded_at_anthropic = name == "anthropic-messages" and kind == "overloaded"
    assert plan.status == (529 if overloaded_at_anthropic else STATUSES[kind])
    assert case.replies == {}, "a refused request has no turn"
    body = json.loads(b"".join(plan.chunks))
    assert body.get("error", body)["message"] == "The lock is shut."


@pytest.mark.parametrize("kind", KINDS)
def test_a_response_that_failed_is_a_whole_one(kind: ErrorKind) -> None:
    """Responses has a status of its own for it."""
    case, plan = answered("openai-responses", kind, stream=False)
    response = json.loads(b"".join(plan.chunks))
    assert (plan.status, response["status"], response["error"]["message"]) == (200, "failed", "The lock is shut.")
    assert len(case.replies) == 1


def test_an_error_in_a_document_of_the_server_s_own_words_stays_one() -> None:
    """Some routers answer with status 200 and an error: the script says all of it, so its status is not changed."""
    document = b'{"error": {"code": 502, "message": "No worker is left."}}'
    words = NativeAnswer((document,), stream=False)
    _, plan = answered("openai-chat", "server_error", stream=False, native=words)
    assert (plan.status, b"".join(plan.chunks)) == (200, document)
    streamed, plan = answered("openai-chat", "server_error", stream=True, native=words)
    assert document not in b"".join(plan.chunks), "its words are for requests that ask for no stream"
    assert len(streamed.replies) == 1
