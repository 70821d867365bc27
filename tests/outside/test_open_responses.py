"""Open Responses' mandatory compliance tests, rebuilt in our own words: the automatic model passes all ten.

Each sends a request as any HTTP client would, and looks at the answer as the specification of 2026-04-24 has it
(``open_responses``). A stream is looked at event by event, and for its order.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest

from tests.outside.endpoint import Endpoint, asked
from tests.outside.open_responses import broken_event, broken_order, broken_response

PATH = "/v1/responses"
MODELS = ("gpt-4o-mini", "gpt-5.5", "o3")
"""One that does not reason, and two that do."""

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="  # one dot, red
)
PAGE = base64.b64encode(
    b"%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
).decode()

TIDES = {
    "type": "function",
    "name": "tide_table",
    "description": "High and low water at a harbour on a day.",
    "parameters": {
        "type": "object",
        "properties": {"harbour": {"type": "string", "description": "Its name on the chart."}},
        "required": ["harbour"],
    },
}


def says(role: str, content: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": content}


class Suite:
    """The ten requests, of one model. Each method is a test of theirs, and returns the response that it ends with."""

    def __init__(self, endpoint: Endpoint, model: str) -> None:
        self.endpoint, self.model = endpoint, model

    def whole(self, **body: Any) -> Any:
        response = self.endpoint.post(PATH, {"model": self.model, "stream": False, **body}).json()
        assert broken_response(response) == []
        return response

    def streamed(self, **body: Any) -> list[Any]:
        events = self.endpoint.events(PATH, {"model": self.model, "stream": True, **body})
        assert [broken for each in events for broken in broken_event(each)] == []
        assert list(broken_order(events)) == []
        return events

    def plain_text(self) -> Any:
        return self.whole(input=[says("user", "Name a harbour in two words.")])

    def streamed_text(self) -> Any:
        events = self.streamed(input=[says("user", "Count the masts, one by one.")])
        assert any(each["type"] == "response.output_text.delta" for each in events)
        return events[-1]["response"]

    def system_prompt(self) -> Any:
        return self.whole(input=[says("system", "You are a harbour pilot."), says("user", "Good morning.")])

    def tool_call(self) -> Any:
        response = self.whole(input=[says("user", "When is high water at Leith?")], tools=[TIDES])
        assert [item["name"] for item in calls(response)][:1] == ["tide_table"]
        return response

    def streamed_tool_call(self) -> Any:
        events = self.streamed(input=[says("user", "When is high water at Leith?")], tools=[TIDES])
        kinds = {each["type"] for each in events}
        assert {"response.function_call_arguments.delta", "response.function_call_arguments.done"} <= kinds
        added = [each["item"] for each in events if each["type"] == "response.output_item.added"]
        assert any(item["type"] == "function_call" and item["arguments"] == "" for item in added)
        assert calls(events[-1]["response"])
        return events[-1]["response"]

    def round_trip(self) -> Any:
        choice = {"type": "function", "name": "tide_table"}
        first = self.whole(input="Ask the table for Leith.", tools=[TIDES], tool_choice=choice)
        (call,) = calls(first)
        assert isinstance(json.loads(call["arguments"])["harbour"], str)
        output = {"type": "function_call_output", "call_id": call["call_id"], "output": "14:20, 5.1 m"}
        second = self.whole(previous_response_id=first["id"], input=[output])
        assert second["previous_response_id"] == first["id"]
        assert not calls(second)
        return second

    def image(self) -> Any:
        picture = {"type": "input_image", "image_url": f"data:image/png;base64,{PIXEL}"}
        return self.whole(input=[says("user", [{"type": "input_text", "text": "Which colour is it?"}, picture])])

    def file(self) -> Any:
        paper = {
            "type": "input_file",
            "filename": "chart.pdf",
            "file_data": f"data:application/pdf;base64,{PAGE}",
        }
        return self.whole(input=[says("user", [{"type": "input_text", "text": "What is on the page?"}, paper])])

    def several_turns(self) -> Any:
        history = [says("user", "I sail the Heron."), says("assistant", "A fine boat!"), says("user", "Which boat?")]
        return self.whole(input=history)

    def previous_response(self) -> Any:
        first = self.whole(input="The pass word is kelp. Say yes.")
        second = self.whole(previous_response_id=first["id"], input="Which word was it?")
        assert second["previous_response_id"] == first["id"]
        return second


def calls(response: Any) -> list[Any]:
    return [item for item in response["output"] if item["type"] == "function_call"]


TESTS: list[Callable[[Suite], Any]] = [
    Suite.plain_text,
    Suite.streamed_text,
    Suite.system_prompt,
    Suite.tool_call,
    Suite.streamed_tool_call,
    Suite.round_trip,
    Suite.image,
    Suite.file,
    Suite.several_turns,
    Suite.previous_response,
]


@pytest.mark.parametrize("test", TESTS, ids=[test.__name__ for test in TESTS])
def test_an_answer_is_as_open_responses_has_it(test: Callable[[Suite], Any]) -> None:
    with asked("openai-responses") as endpoint:
        for model in MODELS:
            response = test(Suite(endpoint, model))
            assert response["status"] == "completed", model
            assert response["output"], model
    assert endpoint.musts == []


def test_the_whole_suite_at_one_endpoint_is_no_finding() -> None:
    """Twice, as somebody does who runs it again without starting the endpoint anew."""
    with asked() as endpoint:
        for model in MODELS * 2:
            for test in TESTS:
                assert test(Suite(endpoint, model))["status"] == "completed"
    assert (endpoint.musts, endpoint.not_served) == ([], {})
    assert {status for statuses in endpoint.cases.values() for status in statuses} == {200}


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with asked("openai-responses") as served:
        yield served


def test_what_is_not_as_the_specification_says_is_seen(endpoint: Endpoint) -> None:
    """Each member that a response must have, left out; and a stream whose events are changed in one thing."""
    suite = Suite(endpoint, MODELS[0])
    response = suite.tool_call()
    for name in response.keys() & {"id", "output", "usage", "tool_choice", "prompt_cache_key", "top_logprobs"}:
        assert broken_response({each: value for each, value in response.items() if each != name}), name
    (call, *_) = calls(response)
    for name in ("id", "call_id", "name", "arguments", "status"):
        assert broken_response({**response, "output": [{each: call[each] for each in call if each != name}]}), name
    assert broken_response({**response, "output": [{**call, "type": "tool_use"}]})
    events = suite.streamed(input=[says("user", "When is high water at Leith?")], tools=[TIDES])
    assert list(broken_order(events[:-1]))
    assert list(broken_order(events[1:]))
    for at, each in enumerate(events):
        if each["type"] not in ("response.created", "response.in_progress"):
            left = deepcopy([*events[:at], *events[at + 1 :]])
            for number, other in enumerate(left):
                other["sequence_number"] = number
            assert list(broken_order(left)), each["type"]
        assert broken_event({name: each[name] for name in each if name != "sequence_number"})
    assert broken_event({**events[0], "type": "response.begun"})
