"""Interactions that the endpoint keeps: google-genai fetches, resumes, cancels and deletes them over loopback."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from harness.endpoint import CaseEndpoint, ScriptSource
from harness.scenario import Cut, Step, TurnStep
from harness.testing.endpoint import Endpoint
from harness.trace import Case
from harness.wire import Call, FinishReason, StreamError, Text, Turn, wire
from harness.wire.turn import NativePiece
from tests.sdks import genai

WIRE = wire("gemini-interactions")
MODEL = WIRE.default_model
SEARCH = {"id": "7xveqyd2", "signature": "EpwC", "type": "google_search_call", "arguments": {"queries": ["tides"]}}
FOUND = {"call_id": "7xveqyd2", "signature": "CqQB", "type": "google_search_result", "result": []}
CALLS = TurnStep(
    Turn(
        (Text("I look."), Call("get_tide", '{"port": "Brest"}')),
        FinishReason.TOOL_CALLS,
        natives=(NativePiece(0, SEARCH), NativePiece(0, FOUND)),
    )
)
DONE = TurnStep(Turn((Text("On 9 March."),)))
FAILED = TurnStep(Turn((Text("On"),), error=StreamError("overloaded")))


class Asked:
    """A case at the endpoint, and a client of google-genai that asks it over loopback, each request once."""

    def __init__(self, served: Endpoint) -> None:
        self._served = served
        self.case: CaseEndpoint
        self.interactions: Any

    def begin(self, *steps: Step) -> Any:
        """Open a case with this script. Returns the ``interactions`` of a client."""
        self.case = CaseEndpoint(
            Case(id="a-case", scenario="a-case", wire=WIRE.name), ScriptSource(steps), clock=lambda: 0.0
        )
        once = genai.types.HttpRetryOptions(attempts=1)
        options = genai.types.HttpOptions(base_url=self._served.open("a-case", self.case), retry_options=once)
        self._client = genai.Client(vertexai=False, api_key="none", http_options=options)  # closed once nobody has it
        return self._client.interactions

    def found(self) -> set[str]:
        """The rules that the requests so far break."""
        return {finding.id for _, finding in self.case.violations}


@pytest.fixture
def asked() -> Iterator[Asked]:
    with Endpoint() as served:
        yield Asked(served)


def refused(ask: Any, *arguments: Any, **named: Any) -> tuple[int, str]:
    """The status with which the endpoint refuses, and the code of its error."""
    with pytest.raises(Exception) as raised:  # the SDK's errors have no public base
        ask(*arguments, **named)
    error: Any = raised.value
    return error.status_code, error.body["error"]["code"]


def steps_of(interaction: Any) -> list[dict[str, Any]]:
    return [step.model_dump(mode="json", exclude_none=True) for step in interaction.steps]


# --- fetched ----------------------------------------------------------------------------------------------------


def test_what_was_answered_is_fetched_as_it_was(asked: Asked) -> None:
    client = asked.begin(CALLS)
    made = client.create(model=MODEL, input="When?")
    assert [step["type"] for step in steps_of(made)] == [
        *("thought", "google_search_call", "google_search_result", "model_output", "function_call"),
    ]
    again = client.get(made.id)
    assert steps_of(again) == steps_of(made)
    assert (again.status, again.usage.total_tokens, again.model) == (made.status, made.usage.total_tokens, made.model)
    assert asked.case.recorder.exchanges == 1, "it is no exchange"


def test_what_was_streamed_is_fetched_as_a_document_and_as_events(asked: Asked) -> None:
    client = asked.begin(CALLS)
    events = list(client.create(model=MODEL, input="When?", stream=True))
    id_ = events[0].interaction.id
    whole = client.get(id_)
    assert (whole.status, whole.usage.total_input_tokens) == ("requires_action", 64)
    assert steps_of(whole)[4]["arguments"] == {"port": "Brest"}
    assert steps_of(whole)[1:3] == [SEARCH, FOUND]
    assert [each.event_type for each in client.get(id_, stream=True)] == [each.event_type for each in events]


def test_what_was_said_is_fetched_beside_it_where_that_is_asked_for(asked: Asked) -> None:
    client = asked.begin(DONE)
    made = client.create(model=MODEL, input="When?")
    assert [step["type"] for step in steps_of(client.get(made.id))] == ["thought", "model_output"]
    first, *rest = steps_of(client.get(made.id, include_input=True))
    assert first == {"type": "user_input", "content": [{"type": "text", "text": "When?"}]}
    assert rest == steps_of(made)


def test_what_is_not_stored_cannot_be_fetched(asked: Asked) -> None:
    client = asked.begin(DONE)
    assert not client.create(model=MODEL, input="When?", store=False).id
    assert refused(client.get, "v1_nobody") == (404, "not_found")


# --- deleted ----------------------------------------------------------------------------------------------------


def test_what_is_deleted_is_gone(asked: Asked) -> None:
    client = asked.begin(DONE, DONE)
    made = client.create(model=MODEL, input="When?")
    client.delete(made.id)
    assert refused(client.get, made.id) == (404, "not_found")
    assert refused(client.delete, made.id) == (404, "not_found")
    assert asked.found() == set()
    client.create(model=MODEL, input="And then?", previous_interaction_id=made.id)
    assert asked.found() == {"INT-19"}


def test_from_what_is_kept_a_request_goes_on(asked: Asked) -> None:
    client = asked.begin(DONE, DONE)
    made = client.create(model=MODEL, input="When?")
    client.create(model=MODEL, input="And then?", previous_interaction_id=made.id)
    assert asked.found() == set()


def test_a_request_goes_on_from_an_interaction_that_has_failed(asked: Asked) -> None:
    client = asked.begin(FAILED, DONE)
    events = list(client.create(model=MODEL, input="When?", stream=True))
    client.create(model=MODEL, input="And then?", previous_interaction_id=events[0].interaction.id)
    (found,) = [finding for _, finding in asked.case.violations]
    assert (found.id, found.level) == ("INT-19", "INFO")


# --- in the background ------------------------------------------------------------------------------------------


def test_an_interaction_in_the_background_is_fetched_until_it_is_done(asked: Asked) -> None:
    client = asked.begin(CALLS)
    made = client.create(model=MODEL, input="When?", background=True)
    assert (made.status, made.steps) == ("in_progress", [])
    got = [client.get(made.id) for _ in range(3)]
    assert [each.status for each in got] == ["in_progress", "requires_action", "requires_action"]
    assert steps_of(got[1])[4]["name"] == "get_tide"
    assert asked.case.replies[0].turn.calls[0].name == "get_tide"


def test_one_that_is_cancelled_stays_so(asked: Asked) -> None:
    client = asked.begin(CALLS, DONE)
    made = client.create(model=MODEL, input="When?", background=True)
    assert client.cancel(made.id).status == "cancelled"
    again = client.get(made.id)
    assert (again.status, again.steps) == ("cancelled", [])
    assert refused(client.cancel, made.id) == (400, "failed_precondition")
    assert asked.case.replies[0].turn.error is not None
    client.create(model=MODEL, input="And then?", previous_interaction_id=made.id)
    assert asked.found() == {"INT-19"}


def test_only_what_runs_in_the_background_is_cancelled(asked: Asked) -> None:
    client = asked.begin(DONE)
    made = client.create(model=MODEL, input="When?")
    assert refused(client.cancel, made.id) == (400, "failed_precondition")
    assert refused(client.cancel, "v1_nobody") == (404, "not_found")


def test_a_stream_in_the_background_is_resumed_behind_its_last_event(asked: Asked) -> None:
    client = asked.begin(TurnStep(CALLS.turn, Cut(12, "cut")))
    begun: list[Any] = []
    stream = client.create(model=MODEL, input="When?", stream=True, background=True)
    with pytest.raises(Exception):  # noqa: B017 - of what the connection is worth, the SDK has its own words
        begun.extend(stream)
    assert begun[-1].event_id
    id_ = begun[0].interaction.id
    rest = list(client.get(id_, stream=True, last_event_id=begun[-1].event_id))
    assert [each.event_id for each in (*begun, *rest)][:12] == [f"{number:08x}" for number in range(1, 13)]
    assert (rest[-1].event_type, rest[-1].interaction.status) == ("interaction.completed", "requires_action")
    (exchange,) = asked.case.recorder.trace().exchanges
    assert exchange.response is not None
    assert WIRE.parse("text/event-stream", exchange.response.body).turn.calls[0].name == "get_tide"
    assert asked.case.replies[0].complete
    assert refused(client.get, id_, stream=True, last_event_id="nowhere") == (400, "invalid_request")


def test_what_was_made_in_the_background_is_fetched_as_events(asked: Asked) -> None:
    client = asked.begin(CALLS)
    made = client.create(model=MODEL, input="When?", background=True)
    events = list(client.get(made.id, stream=True))
    assert events[-1].interaction.status == "requires_action"
    deltas = [each.delta for each in events if each.event_type == "step.delta"]
    texts = [delta.arguments for delta in deltas if delta.type == "arguments_delta"]
    assert json.loads("".join(texts)) == {"port": "Brest"}
    assert asked.case.replies[0].complete


def test_an_interaction_that_nobody_fetches_is_not_whole(asked: Asked) -> None:
    client = asked.begin(CALLS)
    client.create(model=MODEL, input="When?", background=True)
    asked.case.close()
    (exchange,) = asked.case.recorder.trace().exchanges
    assert exchange.response is not None
    assert (exchange.response.end, json.loads(exchange.response.body)["status"]) == ("closed", "in_progress")
