"""What careless loops make of a stream in a dialect: the events as such a loop has understood them.

Each takes the events of a response and returns the events of one that says what the loop believes to have read, so that
the sound loop behind it does what the careless one would do. Where the mistake was seen stands at the dialect
(``docs/dialects.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from typing import Any

import httpx2

from harness.endpoint import Endpoints
from harness.ground.bounded_json import loads
from harness.loop.sessions.wire_only import Answered
from harness.targets.wire_only import WireOnlySessions
from harness.wire.sse import SSE, frame, parse_events
from harness_lab.mutants.declared import breaks, seen_in

Json = dict[str, Any]
Hear = Callable[[list[Json]], list[Json]]


class PostsHeard(WireOnlySessions):
    """Sessions without an SDK whose streams are heard in another way."""

    def __init__(self, endpoints: Endpoints, hear: Hear) -> None:
        super().__init__(endpoints)
        self._hear = hear

    def _post(self, target: str, headers: Mapping[str, str], body: bytes) -> Answered:
        got = super()._post(target, headers, body)
        heard = _heard(got.headers.get("content-type", ""), got.body, self._hear)
        return Answered(got.status, got.headers, heard, got.broken)


class AnswersHeard(httpx2.AsyncBaseTransport):
    """Hears the streams of ``inner`` in another way, each when all of it has come."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, hear: Hear) -> None:
        self._inner = inner
        self._hear = hear

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request, and return the response as it is heard."""
        response = await self._inner.handle_async_request(request)
        body = _heard(response.headers.get("content-type", ""), await response.aread(), self._hear)
        await response.aclose()
        headers = [(name, value) for name, value in response.headers.raw if name.lower() != b"content-length"]
        return httpx2.Response(response.status_code, headers=headers, content=body)

    async def aclose(self) -> None:
        """Close the transport below."""
        await self._inner.aclose()


def _heard(content_type: str, body: bytes, hear: Hear) -> bytes:
    if not SSE.is_stream(content_type):
        return body
    events = list(parse_events(body))
    documents = [loads(event.data) for event in events if event.data.startswith("{")]
    is_named = any(event.event != "message" for event in events)
    frames = [frame(each, each["type"] if is_named else None) for each in hear(documents)]
    return b"".join([*frames, *(frame(event.data) for event in events if not event.data.startswith("{"))])


# --- Chat Completions ---------------------------------------------------------------------------------------


def _refolded(chunks: list[Json], key_of: Callable[[list[tuple[object, Json]], Json], object]) -> list[Json]:
    """The stream with its calls as one gets them who adds each fragment to the call with its key.

    ``key_of`` is given the fragments so far, each with its key. Names and arguments are joined, and the last id counts.
    """
    taken: list[tuple[object, Json]] = []
    head: Json = {}
    for chunk in chunks:
        for choice in chunk.get("choices") or ():
            for fragment in choice["delta"].pop("tool_calls", None) or ():
                head = head or {**chunk, "choices": [{**choice, "delta": {}, "finish_reason": None}]}
                taken.append((key_of(taken, fragment), fragment))
    calls: dict[object, Json] = {}
    for key, fragment in taken:
        call = calls.setdefault(key, {"id": "", "name": "", "arguments": ""})
        function = fragment.get("function") or {}
        call["id"] = fragment.get("id") or call["id"]
        call["name"] += function.get("name") or ""
        call["arguments"] += function.get("arguments") or ""
    if not calls:
        return chunks
    pieces = []
    for index, call in enumerate(calls.values()):
        function = {"name": call["name"], "arguments": call["arguments"]}
        native = {"index": index, "id": call["id"], "type": "function", "function": function}
        piece = deepcopy(head)
        piece["choices"][0]["delta"] = {"tool_calls": [native]}
        pieces.append(piece)
    at = next((at for at, chunk in enumerate(chunks) if _reason(chunk)), len(chunks))
    return [*chunks[:at], *pieces, *chunks[at:]]


def _reason(chunk: Json) -> object:
    return next((choice.get("finish_reason") for choice in chunk.get("choices") or ()), None)


def _fragments(chunks: Iterable[Json]) -> Iterable[tuple[list[Json], Json]]:
    """Each fragment with the list that it is in."""
    for chunk in chunks:
        for choice in chunk.get("choices") or ():
            listed = choice["delta"].get("tool_calls") or []
            for fragment in tuple(listed):
                yield listed, fragment


@breaks("hear", "calls-by-index", "history/model-calls", dialect="index-zero")
@seen_in("two-calls-of-one-tool", "three-calls-of-three-tools", "twenty-calls-at-once")
def joins_by_index(chunks: list[Json]) -> list[Json]:
    """Keeps the calls of a turn by their index, whatever their ids are.

    The index of one without is 0.
    """
    return _refolded(chunks, lambda _, fragment: fragment.get("index") or 0)


@breaks("hear", "fragments-to-the-last-call", "history/model-calls", dialect="interleaved-calls")
@seen_in("two-calls-of-one-tool", "arguments-in-many-scripts")
def to_the_last_call(chunks: list[Json]) -> list[Json]:
    """Adds each fragment to the call that has begun last."""
    return _refolded(chunks, lambda taken, fragment: fragment.get("id") or (taken[-1][0] if taken else ""))


@breaks("hear", "calls-by-id", "history/model-calls", dialect="changing-ids")
@seen_in("two-calls-of-one-tool", "one-of-two-calls-fails")
def keeps_by_id(chunks: list[Json]) -> list[Json]:
    """Keeps the calls of a turn by their ids, also where one has two."""
    by_index: dict[object, object] = {}

    def key_of(_: list[tuple[object, Json]], fragment: Json) -> object:
        index = fragment.get("index")
        by_index[index] = fragment.get("id") or by_index.get(index, "")
        return by_index[index]

    return _refolded(chunks, key_of)


@breaks("hear", "repeated-id-is-a-new-call", "history/model-calls", dialect="repeated-ids")
@seen_in("two-calls-of-one-tool", "three-calls-of-three-tools")
def begins_with_every_id(chunks: list[Json]) -> list[Json]:
    """Takes each fragment with an id for a new call."""
    return _refolded(chunks, lambda taken, fragment: len(taken) if fragment.get("id") or not taken else taken[-1][0])


@breaks("hear", "repeated-id-is-known", "history/model-calls", dialect="repeated-ids")
@seen_in("two-calls-of-one-tool", "one-id-in-two-turns")
def keeps_the_first_of_an_id(chunks: list[Json]) -> list[Json]:
    """Takes a fragment whose id it knows for a call that it has, and so has the first fragment alone."""
    known: set[str] = set()
    for listed, fragment in _fragments(chunks):
        if (call_id := fragment.get("id")) in known:
            listed.remove(fragment)
        elif call_id:
            known.add(call_id)
    return chunks


@breaks("hear", "empty-id-dropped", "history/model-calls", dialect="empty-ids")
@seen_in("two-calls-of-one-tool", "long-arguments-beside-short-ones")
def drops_empty_ids(chunks: list[Json]) -> list[Json]:
    """Leaves out fragments whose id is empty."""
    for listed, fragment in _fragments(chunks):
        if fragment.get("id") == "":
            listed.remove(fragment)
    return chunks


@breaks("hear", "object-arguments-printed", "history/model-calls", dialect="object-arguments")
@seen_in("arguments-of-every-type", "arguments-in-many-scripts")
def prints_objects(chunks: list[Json]) -> list[Json]:
    """Makes text of arguments that are an object as Python prints one."""
    for _, fragment in _fragments(chunks):
        if isinstance(fragment["function"].get("arguments"), dict):
            fragment["function"]["arguments"] = str(fragment["function"]["arguments"])
    return chunks


@breaks("hear", "calls-behind-the-reason-ignored", "final/unfinished", dialect="calls-after-finish")
@seen_in("two-calls-of-one-tool", "answer-behind-a-call")
def ends_at_the_reason(chunks: list[Json]) -> list[Json]:
    """Reads nothing behind the finish reason."""
    at = next((at for at, chunk in enumerate(chunks) if _reason(chunk)), len(chunks))
    return chunks[: at + 1]


@breaks("hear", "stop-believed", "final/unfinished", dialect="stop-with-calls")
@seen_in("two-calls-of-one-tool", "calls-behind-text")
def believes_stop(chunks: list[Json]) -> list[Json]:
    """Takes a turn that finishes with stop for one without calls."""
    if any(_reason(chunk) == "stop" for chunk in chunks):
        for listed, fragment in _fragments(chunks):
            listed.remove(fragment)
    return chunks


# --- Messages -----------------------------------------------------------------------------------------------


@breaks("hear", "end-turn-believed", "final/unfinished", dialect="end-turn-with-calls")
@seen_in("two-calls-of-one-tool", "answer-behind-a-call")
def believes_end_turn(events: list[Json]) -> list[Json]:
    """Takes a turn that stops with end_turn for one without calls."""
    stops = [event["delta"].get("stop_reason") for event in events if event["type"] == "message_delta"]
    if stops != ["end_turn"]:
        return events
    calls = {event["index"] for event in events if (event.get("content_block") or {}).get("type") == "tool_use"}
    return [event for event in events if event.get("index") not in calls]


@breaks("hear", "input-at-the-start-ignored", "history/model-calls", dialect="input-at-start")
@seen_in("two-calls-of-one-tool", "arguments-of-every-type")
def reads_deltas_only(events: list[Json]) -> list[Json]:
    """Looks for the input of a call in deltas alone."""
    for event in events:
        if (event.get("content_block") or {}).get("type") == "tool_use":
            event["content_block"]["input"] = {}
    return events


@breaks("hear", "thinking-shown-as-text", "stream/text", dialect="thinking-in-text")
@seen_in("thinking-beside-two-calls")
def takes_thinking_for_text(events: list[Json]) -> list[Json]:
    """Shows all that comes in a block of text as text."""
    texts = {event["index"] for event in events if (event.get("content_block") or {}).get("type") == "text"}
    for event in events:
        delta = event.get("delta") or {}
        if event.get("index") in texts and delta.get("type") == "thinking_delta":
            event["delta"] = {"type": "text_delta", "text": delta["thinking"]}
    return events


# --- Responses and Gemini -----------------------------------------------------------------------------------


@breaks("hear", "missing-item-index-is-zero", "history/model-calls", dialect="no-output-index")
@seen_in("two-calls-of-one-tool", "three-calls-of-three-tools")
def joins_by_item_zero(events: list[Json]) -> list[Json]:
    """Takes an event without output_index for one about the first item."""
    if any("output_index" in event for event in events):
        return events
    done = [event for event in events if event["type"] == "response.output_item.done"]
    kept = [event for event in events if event["type"] in ("response.created", "response.in_progress")]
    last = events[-1]
    last["response"]["output"] = [event["item"] for event in done[-1:]]
    return [*kept, *done[-1:], last]


@breaks("hear", "ends-at-the-first-stop", "history/model-calls", dialect="early-stop")
@seen_in("two-calls-of-one-tool", "three-calls-of-three-tools")
def ends_at_the_first_stop(chunks: list[Json]) -> list[Json]:
    """Reads nothing behind the first finish reason."""
    at = next((at for at, chunk in enumerate(chunks) if _finished(chunk)), len(chunks))
    return chunks[: at + 1]


def _finished(chunk: Json) -> bool:
    return any(candidate.get("finishReason") for candidate in chunk.get("candidates") or ())


# unseen_on: it is written for Gemini
@breaks("hear", "calls-by-name", "history/model-calls", unseen_on="openai-chat", dialect="ids-missing")
@seen_in("two-calls-of-one-tool")
def keeps_by_name(chunks: list[Json]) -> list[Json]:
    """Keeps calls without ids by the names of their tools."""
    known: set[str] = set()
    for chunk in chunks:
        for candidate in chunk.get("candidates") or ():
            parts = (candidate.get("content") or {}).get("parts") or []
            for part in tuple(parts):
                call = part.get("functionCall") or {"id": "none"}
                if "id" not in call and call["name"] in known:
                    parts.remove(part)
                known.add(call.get("name", ""))
    return [chunk for chunk in chunks if "candidates" not in chunk or _says_something(chunk)]


def _says_something(chunk: Json) -> bool:
    return any(candidate.get("finishReason") or candidate["content"]["parts"] for candidate in chunk["candidates"])
