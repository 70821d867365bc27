"""Streams in every shape that servers give them: our items and turn are what the official SDK accumulates."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from harness.wire.openai_responses import WIRE
from harness_lab.recorded.sessions.openai_responses import returned
from tests.loop.sessions.openai_responses_endpoint import one_turn
from tests.wire.openai_responses.speak import TURNS, Answering, client, events, render

Events = list[dict[str, Any]]

_NAMES = (
    "thinking",
    "omitted thinking",
    "parallel calls",
    "text between calls",
    "call without arguments",
    "custom call",
    "refusal",
    "empty text",
    "utf-16 units",
)
_PIECES = ("delta", "text.done", "arguments.done", "input.done", "refusal.done", "part.done")
_OF_THE_SDK = {"parsed", "parsed_arguments"}


def _without(*endings: str) -> Callable[[Events], Events]:
    return lambda sent: [event for event in sent if not event["type"].endswith(endings)]


def _with_gaps(sent: Events) -> Events:
    for event in sent[2:-1]:
        event["output_index"] *= 3
    return sent


def _last_item_first(sent: Events) -> Events:
    """Stable, so each item's own events stay in order."""
    middle = sorted(sent[2:-1], key=lambda event: -event["output_index"])
    return [*sent[:2], *middle, sent[-1]]


def _all_begun_first(sent: Events) -> Events:
    """The items arrive at once, and the last one is finished first."""
    begun = [event for event in sent if event["type"].endswith("item.added")]
    rest = [event for event in _last_item_first(sent) if event not in begun]
    return [*rest[:2], *begun, *rest[2:]]


def _first_item_only_at_the_end(sent: Events) -> Events:
    return [event for event in sent if event.get("output_index") != 0]


def _finished_twice(sent: Events) -> Events:
    return [each for event in sent for each in [event] * (2 if event["type"].endswith("item.done") else 1)]


def _texts_ended_early(sent: Events) -> Events:
    """The end of each text comes before its last piece."""
    for place, event in enumerate(sent):
        if event["type"].endswith(_PIECES[1:-1]) and sent[place - 1]["type"].endswith("delta"):
            sent[place - 1], sent[place] = event, sent[place - 1]
    return sent


def _ended_without_output(sent: Events) -> Events:
    sent[-1]["response"]["output"] = None
    return sent


def _with_unknown_events(sent: Events) -> Events:
    between = [{"type": "keepalive"}, {"type": "response.new", "output_index": 0, "delta": "x"}]
    return [each for event in sent[:-1] for each in (event, *between)] + sent[-1:]


_SHAPES: dict[str, Callable[[Events], Events]] = {
    "as sent": list,
    "gaps between indices": _with_gaps,
    "last item first": _last_item_first,
    "all begun first": _all_begun_first,
    "deltas alone": _without(*_PIECES[1:]),
    "no finished items": _without("item.done"),
    "items only whole": _without("added", *_PIECES),
    "only the last event": _without("added", "item.done", *_PIECES),
    "first item only at the end": _first_item_only_at_the_end,
    "finished twice": _finished_twice,
    "texts ended early": _texts_ended_early,
    "unknown events": _with_unknown_events,
}


@pytest.mark.anyio
@pytest.mark.parametrize("ended", [list, _ended_without_output], ids=["output at the end", "no output at the end"])
@pytest.mark.parametrize("shape", _SHAPES)
async def test_a_stream_of_any_shape_is_read_as_the_sdk_accumulates_it(
    shape: str, ended: Callable[[Events], Events]
) -> None:
    accumulated = 0
    for name in _NAMES:
        sent = ended(_SHAPES[shape](deepcopy(events(render(TURNS[name])))))
        body = b"".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode() for event in sent)
        theirs = await _accumulated(body)
        if theirs is None:
            continue
        accumulated += 1
        reply = WIRE.parse("text/event-stream", body)
        got, told = await one_turn(Answering([body]))
        assert list(reply.items) == theirs, name
        assert got.assistant_turn == returned(theirs), name
        assert [call.id for call in got.tool_calls] == [item["call_id"] for item in theirs if "call_id" in item], name
        if shape not in ("last item first", "all begun first", "first item only at the end"):
            assert (told.text, told.thinking) == (got.assistant_text, got.thinking_text), name
        said = {(call.id, call.name, call.arguments) for call in got.tool_calls if call.arguments}
        assert set(told.calls) == said, name
    assert accumulated == len(_NAMES) or shape == "no finished items"


async def _accumulated(body: bytes) -> list[Any] | None:
    """The output that the SDK accumulates; None if it gives no response."""
    async with client(Answering([body])) as sdk, sdk.responses.stream(model="m", input="x") as stream:
        try:
            final = await stream.get_final_response()
        except RuntimeError:
            return None
    return [_plain(item.to_dict(warnings=False)) for item in final.output]


def _plain(value: Any) -> Any:
    """Without the members that the helper of the SDK adds."""
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items() if name not in _OF_THE_SDK}
    return [_plain(each) for each in value] if isinstance(value, list) else value
