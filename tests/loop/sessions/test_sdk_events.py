"""The events that the sessions of OpenAI read are those that the SDK would build, whoever builds them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel

from tests.sdks import openai, sessions

_ITEM = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{"}

_EVENTS = {
    "responses": {"type": "response.output_item.added", "sequence_number": 1, "output_index": 0, "item": _ITEM},
    "responses-delta": {
        "type": "response.output_text.delta",
        "sequence_number": 1,
        "item_id": "msg_1",
        "output_index": 0,
        "content_index": 0,
        "delta": "x",
        "logprobs": [],
    },
    "responses-members-missing": {"type": "response.output_text.delta", "delta": "x"},
    "responses-unknown-type": {"type": "response.new", "delta": "x"},
    "responses-no-type": {"delta": "x"},
}

_READERS: dict[str, Callable[[], tuple[Any, Any, Any]]] = {
    "responses": lambda: (
        sessions.openai_responses.session.READ,
        openai.types.responses.ResponseStreamEvent,
        openai._models.construct_type,
    ),
}


@pytest.mark.parametrize("name", _EVENTS)
def test_an_event_is_read_as_the_sdk_reads_it(name: str) -> None:
    read, declared, construct = _READERS[name.partition("-")[0]]()
    assert _shown(read(_EVENTS[name])) == _shown(construct(type_=declared, value=_EVENTS[name]))


@pytest.mark.parametrize("name", ["responses"])
def test_a_valid_event_is_not_built_by_the_sdk(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def built(**_: object) -> object:
        raise AssertionError("built by the SDK")

    monkeypatch.setattr(sessions.openai_responses.session, "construct_type", built)
    read, _, _ = _READERS[name]()
    assert isinstance(read(_EVENTS[name]), BaseModel)


def _shown(event: Any) -> Any:
    """All that a session may look at: types, values, which members were sent, and those that the SDK does not know."""
    if isinstance(event, BaseModel):
        members = {name: _shown(value) for name, value in vars(event).items()}
        return type(event), members, event.model_dump(exclude_unset=True, warnings=False), _shown(event.model_extra)
    if isinstance(event, dict):
        return {name: _shown(value) for name, value in event.items()}
    if isinstance(event, list):
        return [_shown(value) for value in event]
    return type(event), event
