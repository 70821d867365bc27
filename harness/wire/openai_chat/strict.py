"""The strict reader of Chat Completions. It reports what the tolerant ``parse`` accepts but breaks clients."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from harness.finding import Finding, Level
from harness.wire.lenient import Json, entries, members, objects, string
from harness.wire.openai_chat import response_rules as rules
from harness.wire.response_rule import ReceivedResponse
from harness.wire.sse import SSE
from harness.wire.strict import (
    BODY,
    ENVELOPE,
    NumberedEvent,
    body_of,
    ends_cleanly,
    is_object_text,
    numbered_events,
    repeated_ids,
    shown,
    whole_number,
)

_DONE: Final = "[DONE]"
_AUDIO: Final = "gpt-audio"
_CUT: Final = ("length", "content_filter", "error")
"""Finish reasons of an answer whose last call may be unfinished."""


def strict(response: ReceivedResponse) -> Iterator[Finding]:
    """``Wire.strict``."""
    if response.refused:
        yield from _error(response)
    elif SSE.is_stream(response.content_type):
        yield from _stream(response)
    else:
        yield from _document(response)


def _error(response: ReceivedResponse) -> Iterator[Finding]:
    problems: list[Finding] = []
    body = body_of(response, problems, ENVELOPE)
    yield from problems
    if body is not None and not isinstance(members(body.get("error")).get("message"), str):
        yield ENVELOPE.broken(BODY, expected="error.message", got=shown(body))


# --- calls ----------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _StrictCall:
    """A call that is put together from its fragments, with the place at which it began."""

    at: str
    id: str
    function: bool
    pieces: list[str] = field(default_factory=list)


def _calls(calls: list[_StrictCall], response: ReceivedResponse, *, reason: str) -> Iterator[Finding]:
    """Checks the calls of a choice when all of them have come."""
    for call in calls:
        arguments = "".join(call.pieces)
        if call.function and reason not in _CUT and not is_object_text(arguments):
            yield rules.ARGUMENTS_JSON.broken(call.at, expected="a JSON object", got=shown(arguments))
    ids = [call.id for call in calls if call.id]
    for each in repeated_ids(ids):
        yield rules.ID.broken(calls[0].at, expected="an id for each call", got=f"{each} for {ids.count(each)} calls")
    for call in calls:
        if call.id in response.earlier_ids:
            yield rules.ID.broken(call.at, expected="an id that no earlier call has", got=call.id)
    if calls and reason not in ("tool_calls", "", *_CUT) and not _is_forced(response.request):
        yield rules.TOOL_CALLS.broken(calls[0].at, expected="finish_reason tool_calls", got=reason)


def _is_forced(request: Json | None) -> bool:
    """Whether the request forced a call: OpenAI's finish reason is ``stop`` then."""
    choice = (request or {}).get("tool_choice")
    return isinstance(choice, dict) or choice == "required"


def _head(at: str, call: Json) -> Iterator[Finding]:
    """Reports what the first fragment of a call lacks."""
    body = members(call.get("function") or call.get("custom"))
    lacking = [name for name in ("id", "type") if not string(call.get(name))]
    lacking += ["function.name"] * (not string(body.get("name")))
    if lacking:
        yield rules.CALL_HEAD.broken(at, expected="id, type and function.name", got=f"without {', '.join(lacking)}")


def _arguments(at: str, call: Json, *, whole: bool) -> Iterator[Finding]:
    if call.get("custom") is not None:
        return
    body = members(call.get("function"))
    if "arguments" not in body and not whole:
        return
    arguments = body.get("arguments")
    if not isinstance(arguments, str):
        got = "no arguments" if "arguments" not in body else shown(arguments)
        yield rules.ARGUMENTS_TEXT.broken(at, expected="text", got=got)


def _text_of(call: Json) -> str:
    return string(members(call.get("function")).get("arguments")) or string(members(call.get("custom")).get("input"))


# --- a stream ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Choice:
    """One choice of a stream as its chunks come."""

    calls: list[_StrictCall] = field(default_factory=list)
    by_index: dict[object, _StrictCall] = field(default_factory=dict)
    reason: str = ""
    lists: set[str] = field(default_factory=set)
    """The members of deltas that are lists: the official helper adds a second list to the first by the indexes."""

    def chunk(self, at: str, choice: Json) -> Iterator[Finding]:
        delta = members(choice.get("delta"))
        if self.reason and _has_content(delta):
            yield rules.FINISH.broken(at, expected=f"nothing behind finish_reason {self.reason}", got=shown(delta))
        for place, fragment in enumerate(objects(delta.get("tool_calls"))):
            yield from self._fragment(f"{at}.delta.tool_calls[{place}]", fragment)
        for name in (name for name in delta if name != "tool_calls"):
            if name in self.lists:
                yield from _index_findings(f"{at}.delta.{name}", delta[name])
            elif isinstance(delta[name], list):
                self.lists.add(name)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            if self.reason:
                got = f"{self.reason}, then {reason}"
                level: Level | None = "SHOULD" if reason == self.reason else None
                yield rules.FINISH.broken(at, expected="one finish_reason", got=got, level=level)
            self.reason = reason

    def _fragment(self, at: str, fragment: Json) -> Iterator[Finding]:
        index = fragment.get("index")
        if not isinstance(index, int):
            yield rules.INDEX.broken(at, expected="an index", got=shown(index))
            index = None
        name = string(members(fragment.get("function") or fragment.get("custom")).get("name"))
        begun = self.by_index.get(index)
        other_id = bool(fragment.get("id")) and begun is not None and fragment["id"] != begun.id
        if begun is None and not (name or fragment.get("id")):
            yield rules.INDEX_KEPT.broken(at, expected="the index of a call that has begun", got=shown(index))
        elif begun is None or (other_id and name):
            if begun is not None and index is not None:
                got = f"{index} for {begun.id} and {fragment.get('id')}"
                yield rules.INDEX_OWN.broken(at, expected="an index of its own", got=got)
            begun = self._begin(at, index, fragment)
            yield from _head(at, fragment)
        if begun is not None:
            begun.pieces.append(_text_of(fragment))
        yield from _arguments(at, fragment, whole=False)

    def _begin(self, at: str, index: object, fragment: Json) -> _StrictCall:
        call = _StrictCall(at, string(fragment.get("id")), fragment.get("custom") is None)
        self.calls.append(call)
        self.by_index[index] = call
        return call


def _has_content(delta: Json) -> bool:
    return any(value for name, value in delta.items() if name != "role")


def _index_findings(at: str, value: Any) -> Iterator[Finding]:
    for place, entry in enumerate(entries(value)):
        if isinstance(entry, dict) and not isinstance(entry.get("index"), int):
            yield rules.INDEX_OF_OWN.broken(f"{at}[{place}]", expected="an index", got=shown(entry))


def _stream(response: ReceivedResponse) -> Iterator[Finding]:
    problems: list[Finding] = []
    events = numbered_events(response, problems, ignored=(_DONE,))
    yield from problems
    choices: dict[int | None, _Choice] = {}
    for event in events:
        yield from _chunk(event, choices)
    failed = any(event.data.get("error") for event in events)
    for choice in choices.values():
        yield from _calls(choice.calls, response, reason="error" if failed else choice.reason)
    if not failed and (not choices or not all(choice.reason for choice in choices.values())):
        level = _level(events[-1] if events else None)
        yield rules.FINISH.broken("the end", expected="a finish_reason for each choice", got="none", level=level)
    yield from _usage(events, response)
    if not failed and not ends_cleanly(response, _DONE):
        yield rules.DONE.broken("the end", expected="data: [DONE]", got="the stream ends without it")


def _chunk(event: NumberedEvent, choices: dict[int | None, _Choice]) -> Iterator[Finding]:
    if event.data.get("error"):
        return
    if not isinstance(event.data.get("choices"), list):
        got = shown(event.data.get("choices")) if "choices" in event.data else "no choices"
        yield rules.CHOICES.broken(event.at(), expected="a list of choices", got=got, level=_level(event))
    for at, choice in enumerate(objects(event.data.get("choices"))):
        known = choices.setdefault(whole_number(choice.get("index")), _Choice())
        yield from known.chunk(event.at(f"choices[{at}]"), choice)


def _level(event: NumberedEvent | None) -> Level | None:
    """A lower level for OpenAI's audio models, whose last chunk has the usage, no choices and no finish_reason."""
    return "SHOULD" if event is not None and string(event.data.get("model")).startswith(_AUDIO) else None


def _usage(events: list[NumberedEvent], response: ReceivedResponse) -> Iterator[Finding]:
    alone = [event for event in events if event.data.get("usage") and not event.data.get("choices")]
    for event in alone:
        if event is not events[-1]:
            yield rules.USAGE.broken(event.at(), expected="the chunk with the usage last", got="chunks behind it")
        elif response.request is not None and not asks_for_usage(response.request):
            yield rules.USAGE.broken(event.at(), expected="no usage: nobody asked for it", got="a chunk with the usage")
    if (
        response.request is not None
        and asks_for_usage(response.request)
        and not any(event.data.get("usage") or event.data.get("error") for event in events)
    ):
        yield rules.USAGE.broken("the end", expected="the usage, which was asked for", got="none")


def asks_for_usage(request: Json) -> bool:
    """``Wire.asks_for_usage``: a document always has the usage, a stream only if the request asks for it."""
    return not request.get("stream") or bool(members(request.get("stream_options")).get("include_usage"))


# --- a document -------------------------------------------------------------------------------------------------


def _document(response: ReceivedResponse) -> Iterator[Finding]:
    problems: list[Finding] = []
    body = body_of(response, problems)
    yield from problems
    if body is None or body.get("error"):
        return
    if not isinstance(body.get("choices"), list):
        got = shown(body.get("choices")) if "choices" in body else "no choices"
        yield rules.CHOICES.broken(BODY, expected="a list of choices", got=got)
    for at, choice in enumerate(objects(body.get("choices"))):
        yield from _whole_choice(f"choices[{at}]", choice, response)


def _whole_choice(at: str, choice: Json, response: ReceivedResponse) -> Iterator[Finding]:
    calls: list[_StrictCall] = []
    for which, call in enumerate(objects(members(choice.get("message")).get("tool_calls"))):
        place = f"{at}.message.tool_calls[{which}]"
        yield from _head(place, call)
        yield from _arguments(place, call, whole=True)
        function = call.get("custom") is None
        calls.append(_StrictCall(place, string(call.get("id")), function, [_text_of(call)]))
    reason = string(choice.get("finish_reason"))
    yield from _calls(calls, response, reason=reason)
    if not reason:
        yield rules.FINISH.broken(at, expected="a finish_reason", got=shown(choice.get("finish_reason")))
