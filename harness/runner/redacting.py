"""Redacts everything that a run writes: traces, results, and what they quote.

A run with scripted answers contains no secrets by itself. But the loop may send a key in a prompt or a header, a tool
may print one, a traceback may quote one, and the command that repeats a case may have one as an argument. Secrets are
what ``harness.secrets`` finds, and the values of the user's variables whose names suggest a secret.

Requests and responses are redacted in the same way, so judging a trace again has the same result.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from operator import is_
from typing import TYPE_CHECKING, Any, Final, TypeVar

from harness.finding import Finding
from harness.runner.results import CaseResult, RunResult
from harness.trace import (
    AgUiRecord,
    Assistant,
    CallerRecord,
    Case,
    Event,
    EventRecord,
    Record,
    RequestRecord,
    ResponseRecord,
    SetCode,
    SocketRecord,
    Thinking,
    ToolArguments,
    Trace,
)

if TYPE_CHECKING:
    from harness.secrets.edits import Edit
    from harness.secrets.redactor import Redactor

_T = TypeVar("_T")
_JSON = "application/json"


def run_redactor() -> Redactor:
    """The redactor for a run of this process.

    It knows the environment's secrets at its first use, and the keys that loops have sent to the endpoint so far.
    """
    return knowing_sent(_set_redactor())


def knowing_sent(redactor: Redactor) -> Redactor:
    """The redactor, extended by the keys that loops have sent to the endpoint of this process."""
    from harness.secrets.sent import sent_here

    sent = sent_here()
    return _knowing(redactor, tuple(sent.items())) if sent else redactor


@cache
def _set_redactor() -> Redactor:
    from harness.secrets.learned import set_values
    from harness.secrets.redactor import Redactor

    return Redactor().knowing(set_values(os.environ))


@lru_cache(maxsize=4)
def _knowing(redactor: Redactor, values: tuple[tuple[str, str], ...]) -> Redactor:
    return redactor.knowing(dict(values))


# --- the trace ----------------------------------------------------------------------------------------------


def redacted_trace(trace: Trace, redactor: Redactor, script: object = ()) -> Trace:
    """The trace without secrets in its requests, responses, events and tool results.

    Without secrets it is the same object. Each text is searched once, even if many requests repeat it. ``script`` is
    what the endpoint answered: responses differ from case to case, and each would have to be searched.
    """
    sent = _sent(trace)
    if not sent and not redactor.finds_in(script) and not any(map(redactor.finds, _texts(trace))):
        return trace
    redactor = redactor.knowing(sent)
    case = _case(trace.case, redactor)
    responses = {each.exchange: each for each in trace.records if isinstance(each, ResponseRecord)}
    offsets: dict[int, set[int]] = {}
    for record in trace.records:
        if isinstance(record, EventRecord) and record.exchange is not None:
            offsets.setdefault(record.exchange, set()).add(record.offset)
    moved = {at: _response(each, sorted(offsets.get(at, ())), redactor) for at, each in responses.items()}
    records = _whole_texts(trace.records, redactor)
    return replace(trace, case=case, records=tuple([_record(record, redactor, moved) for record in records]))


def _whole_texts(records: Sequence[Record], redactor: Redactor) -> Sequence[Record]:
    """The records without secrets that are split over several events."""
    kept = list(records)
    for places in _emitted_in_pieces(records).values():
        for at, text in zip(places, redactor.redact_pieces([_text_at(records, at) for at in places]), strict=True):
            record: Any = records[at]
            kept[at] = replace(record, event=replace(record.event, text=text))
    return _whole_previews(kept, redactor)


_SHOWN: Final = 4
"""Least characters at the end of a preview that count as the beginning of a secret."""


def _whole_previews(records: list[Record], redactor: Redactor) -> Sequence[Record]:
    """The records without beginnings of secrets at the ends of previews, if the whole secret comes later.

    A response has a placeholder instead of a secret's first part, so a preview must have it, too.
    """
    events = [record.event for record in records if isinstance(record, EventRecord)]
    codes = dict.fromkeys(event.code for event in events if isinstance(event, SetCode) and not event.preview)
    secrets = [(code, edit) for code in codes for edit in redactor.found(code)]
    if not secrets:
        return records
    return [
        replace(record, event=replace(record.event, code=_without_end(record.event.code, secrets)))
        if isinstance(record, EventRecord) and isinstance(record.event, SetCode) and record.event.preview
        else record
        for record in records
    ]


def _without_end(preview: str, secrets: Sequence[tuple[str, Edit]]) -> str:
    """The preview; if it ends with the beginning of a secret, with a placeholder for that."""
    for code, edit in secrets:
        if edit.start < len(preview) < edit.end and code.startswith(preview):
            return preview[: edit.start] + edit.replacement
        secret = code[edit.start : edit.end]
        for length in range(len(secret) - 1, _SHOWN - 1, -1):
            if preview.endswith(secret[:length]):
                return preview[:-length] + edit.replacement
    return preview


def _text_at(records: Sequence[Record], at: int) -> str:
    record: Any = records[at]
    text: str = record.event.text
    return text


def _emitted_in_pieces(records: Sequence[Record]) -> Mapping[object, list[int]]:
    """The places of the pieces of each model text that the loop has emitted."""
    found: dict[object, list[int]] = {}
    for at, record in enumerate(records):
        if isinstance(record, EventRecord) and isinstance(record.event, Assistant | Thinking | ToolArguments):
            found.setdefault((type(record.event), record.conversation, record.event.id), []).append(at)
    return found


_IDENTITY: Final = frozenset(
    {"id", "scenario", "wire", "source", "profile", "chunking", "emits", "declines", "capabilities"}
)
"""Members of a case with the harness's own words. The others come from the scenario's author or the loop."""


def _case(case: Case, redactor: Redactor) -> Case:
    members = {each.name: getattr(case, each.name) for each in fields(case) if each.name not in _IDENTITY}
    return replace(case, **{name: _without_secrets(value, redactor) for name, value in members.items()})


def _without_secrets(value: Any, redactor: Redactor) -> Any:
    """A redacted member of a case. A member with names is JSON, and is redacted like JSON in bodies."""
    return _value(value, redactor) if isinstance(value, dict) else _redacted_value(value, redactor)


def _sent(trace: Trace) -> dict[str, str]:
    """The secrets in the requests of a trace outside of their bodies. Responses have none: the harness makes them."""
    from harness.secrets.learned import sent_values

    found: dict[str, str] = {}
    for record in trace.records:
        if isinstance(record, RequestRecord):
            found |= sent_values(record.path, {name: (value,) for name, value in record.headers.items()}, {})
    return {name: value for name, value in found.items() if not value.startswith("[redacted")}


def _texts(trace: Trace) -> set[str]:
    """Each text of a trace once: the strings of JSON one by one, everything else as a whole."""
    case = trace.case
    found = {case.target, json.dumps([getattr(case, name) for name in _names(Case) if name not in _IDENTITY])}
    members: set[tuple[str, str]] = set()
    before: Any = None
    for record in trace.records:
        if isinstance(record, EventRecord):
            event: Any = record.event
            for name in _names(event.__class__):
                _add_leaves(getattr(event, name), found, members)
        elif isinstance(record, RequestRecord):
            found.add(record.path)
            found.update(record.headers.values())
            value = _json(record.body, found)
            _add_leaves(_unlike(value, before), found, members)
            before = value
        elif isinstance(record, AgUiRecord):
            found.update((record.type, record.id, record.owner, record.wrong, *record.calls))
        elif isinstance(record, CallerRecord):
            found.update((record.text, record.model, *record.ended))  # those that failed are among them
    for places in _emitted_in_pieces(trace.records).values():
        found.add("".join([_text_at(trace.records, at) for at in places]))
    found.update([f'"{name}": "{text}"' for name, text in members])
    return found


def _json(body: bytes, found: set[str]) -> Any:
    """The value of a JSON body; None for any other body, which is added to ``found`` as a whole."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        found.add(body.decode("utf-8", "surrogateescape"))
        return None


def _unlike(value: Any, before: Any) -> Any:
    """The part of a body that is not in the previous one: most of a request repeats the last one."""
    if not isinstance(value, dict) or not isinstance(before, dict):
        return value
    return {name: _new(member, before.get(name)) for name, member in value.items() if not _same(name, member, before)}


def _same(name: str, member: Any, before: dict[str, Any]) -> bool:
    return name in before and bool(before[name] == member)


def _new(member: Any, before: Any) -> Any:
    """The new part of a member; for a list, the elements that changed at their places."""
    if not isinstance(member, list) or not isinstance(before, list):
        return member
    return [each for at, each in enumerate(member) if at >= len(before) or each != before[at]]


def _add_leaves(value: Any, found: set[str], members: set[tuple[str, str]]) -> None:
    """Add the texts of a value. A member's text comes with its name, which may show that it is secret."""
    left: list[Any] = [value]
    while left:
        each = left.pop()
        if isinstance(each, str):
            found.add(each)
        elif isinstance(each, list):
            left += each
        elif isinstance(each, dict):
            for name, inner in each.items():
                if isinstance(inner, str):
                    members.add((name, inner))
                else:
                    found.add(name)
                    left.append(inner)


def _response(
    response: ResponseRecord, offsets: list[int], redactor: Redactor
) -> tuple[ResponseRecord, Mapping[int, int]]:
    """The response without its secrets, and a map from old to new offsets."""
    kind = response.headers.get("content-type", _JSON)
    ends = sorted({*accumulate(response.chunks), *(each for each in offsets if each <= len(response.body))} - {0})
    body, lengths = redactor.redact_chunks(response.body, kind, _lengths(ends))
    new_ends = dict(zip([0, *ends], [0, *accumulate(lengths)], strict=True))
    chunks = _lengths([new_ends[end] for end in accumulate(response.chunks)])
    kept = replace(response, body=body, chunks=tuple(chunks))
    return kept, {each: new_ends[_at_or_before(each, [0, *ends])] for each in offsets}


def _at_or_before(offset: int, ends: list[int]) -> int:
    at = bisect_left(ends, offset)
    return ends[at] if at < len(ends) and ends[at] == offset else ends[-1]


def _lengths(ends: Iterable[int]) -> list[int]:
    return [after - before for before, after in pairwise([0, *ends])]


def _headers(headers: Mapping[str, str], redactor: Redactor) -> dict[str, str]:
    return {name: redactor.redact_text(value) for name, value in headers.items()}


def _record(
    record: Record, redactor: Redactor, moved: Mapping[int, tuple[ResponseRecord, Mapping[int, int]]]
) -> Record:
    if isinstance(record, ResponseRecord):
        return moved[record.exchange][0]
    if isinstance(record, RequestRecord):
        kind = record.headers.get("content-type", _JSON)
        path, body = redactor.redact_url(record.path), redactor.redact_body(record.body, kind)
        return replace(record, path=path, headers=_headers(record.headers, redactor), body=body)
    if isinstance(record, CallerRecord):
        redact = redactor.redact_text
        ended, failed = tuple(map(redact, record.ended)), tuple(map(redact, record.failed))
        return replace(record, text=redact(record.text), model=redact(record.model), ended=ended, failed=failed)
    if isinstance(record, SocketRecord):
        return record
    if isinstance(record, AgUiRecord):
        texts: dict[str, Any] = {
            name: redactor.redact_text(getattr(record, name)) for name in ("type", "id", "owner", "wrong")
        }
        return replace(record, **texts, calls=tuple(map(redactor.redact_text, record.calls)))
    _, offsets = moved.get(-1 if record.exchange is None else record.exchange, (None, {}))
    offset = offsets.get(record.offset, record.offset)
    return replace(record, event=_event(record.event, redactor), offset=offset)


def _event(event: Event, redactor: Redactor) -> Event:
    """The event without secrets, also in ids and names, because these are redacted in requests and responses, too."""
    return replace(event, **{each.name: _value(getattr(event, each.name), redactor) for each in fields(event)})


def _value(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.redact_text(value)
    if not isinstance(value, dict | list):
        return value
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return [_value(each, redactor) for each in value]  # messages: what one ends with does not go on in the next
    return json.loads(redactor.redact_body(json.dumps(value).encode(), _JSON))


# --- results ------------------------------------------------------------------------------------------------


def redacted_run(result: RunResult) -> RunResult:
    """The results of a run without secrets; all reports use this."""
    return gated(result)


def gated(value: _T) -> _T:
    """A value without secrets in any of its texts, also inside records and lists."""
    redacted: _T = _redacted_value(value, run_redactor())
    return redacted


def gated_values(record: Any, but: Collection[str] = ()) -> Any:
    """A record as JSON values, like ``dataclasses.asdict``, without secrets in its texts.

    Members of records whose names are in ``but`` stay unchanged. It is one pass, because every verdict of a run is
    written this way. Most of its texts have been searched before, so it costs about as much as ``asdict``.
    """
    return _gated_values(record, run_redactor().redact_text, frozenset(but))


def _gated_values(value: Any, redact: Callable[[str], str], but: Collection[str]) -> Any:
    if isinstance(value, str):
        return redact(value)
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, Mapping):
        return {redact(str(name)): _gated_values(member, redact, but) for name, member in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        members = [(name, getattr(value, name)) for name in _names(type(value))]
        return {name: member if name in but else _gated_values(member, redact, but) for name, member in members}
    return [_gated_values(each, redact, but) for each in value]


@cache
def _names(record: type[Any]) -> tuple[str, ...]:
    return tuple(each.name for each in fields(record))


@cache
def _parameters(record: type[Any]) -> tuple[str, ...]:
    """The members that the record's constructor takes."""
    return tuple(each.name for each in fields(record) if each.init)


def _redacted_value(value: Any, redactor: Redactor, but: Collection[str] = ()) -> Any:
    """The value without secrets, the same object if it has none; members of records whose names are in ``but`` stay
    unchanged.

    What has changed shows by identity: values that are equal may differ in a member that comparing leaves out.
    """
    if isinstance(value, str):
        redacted = redactor.redact_text(value)
        return value if redacted == value else redacted
    if value is None or isinstance(value, int | float):
        return value
    if isinstance(value, list | tuple | frozenset):
        entries = [_redacted_value(each, redactor, but) for each in value]
        return value if _identical(entries, value) else type(value)(entries)
    if isinstance(value, Mapping):
        members = {
            _redacted_value(name, redactor): _redacted_value(member, redactor, but) for name, member in value.items()
        }
        return value if _identical(members, value) and _identical(members.values(), value.values()) else members
    if is_dataclass(value) and not isinstance(value, type):
        return _gated_record(value, redactor, but)
    return value


def _identical(new: Iterable[object], old: Iterable[object]) -> bool:
    """Whether these are the same objects."""
    return all(map(is_, new, old))


def _gated_record(record: Any, redactor: Redactor, but: Collection[str]) -> Any:
    changed = {}
    for name in _parameters(record.__class__):
        if name not in but:
            member = getattr(record, name)
            redacted = _redacted_value(member, redactor, but)
            if redacted is not member:
                changed[name] = redacted
    return replace(record, **changed) if changed else record


def redacted_finding(finding: Finding, redactor: Redactor) -> Finding:
    """The finding without secrets in its quotes."""
    redacted: Finding = _redacted_value(finding, redactor)
    return redacted


_NAMES_OF_CASES: Final = frozenset({"id", "scenario", "trace"})
"""Members by which a run finds its cases and their files again."""


def redacted_result(result: CaseResult, redactor: Redactor) -> CaseResult:
    """The result without secrets, except in the names of the case."""
    redacted: CaseResult = _redacted_value(result, redactor, _NAMES_OF_CASES)
    return redacted
