"""The gate through which all goes that a run writes: traces, results, and what they quote.

Of a run with scripted answers nothing is secret by itself. But the loop may send a key in a prompt or a header, a tool
may print one, a traceback may quote one, and the command that repeats a case may have one as its argument. What is
secret is what ``harness.secrets`` finds, and the values of the user's own variables with the names of secrets.

Everything is redacted in the same way, requests as well as responses, so a trace that is judged again says the same.
"""

from __future__ import annotations

import json
import os
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate, pairwise
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
    from harness.secrets import Redactor
    from harness.secrets.edits import Edit

_T = TypeVar("_T")
_JSON = "application/json"


def run_redactor() -> Redactor:
    """What redacts a run of this process.

    It knows the secrets of the environment of its first use, and the keys that loops have sent to the endpoint by now.
    """
    return knowing_sent(_set_redactor())


def knowing_sent(redactor: Redactor) -> Redactor:
    """The redactor, which also knows the keys that loops have sent to the endpoint of this process."""
    from harness.secrets.sent import sent_here

    sent = sent_here()
    return _knowing(redactor, tuple(sent.items())) if sent else redactor


@cache
def _set_redactor() -> Redactor:
    from harness.secrets import Redactor
    from harness.secrets.learned import set_values

    return Redactor().knowing(set_values(os.environ))


@lru_cache(maxsize=4)
def _knowing(redactor: Redactor, values: tuple[tuple[str, str], ...]) -> Redactor:
    return redactor.knowing(dict(values))


# --- the trace ----------------------------------------------------------------------------------------------


def redacted_trace(trace: Trace, redactor: Redactor, script: object = ()) -> Trace:
    """The trace with the secrets out of its requests, responses and events, and out of what its tools return.

    The same value where there is none, which is looked for in each text once, however many requests repeat it.
    ``script`` is what the endpoint has said: responses differ from case to case, and would each have to be looked at.
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
    """The records without the secrets that events have in pieces."""
    kept = list(records)
    for places in _emitted_in_pieces(records).values():
        for at, text in zip(places, redactor.redact_pieces([_text_at(records, at) for at in places]), strict=True):
            record: Any = records[at]
            kept[at] = replace(record, event=replace(record.event, text=text))
    return _whole_previews(kept, redactor)


_SHOWN: Final = 4
"""Characters at the end of a preview that are taken for the beginning of a secret."""


def _whole_previews(records: list[Record], redactor: Redactor) -> Sequence[Record]:
    """The records without the beginnings of secrets at the ends of previews, of which the whole comes later.

    A response has the placeholder where it had the first part of a secret, so a preview has it, too.
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
    """A preview whose end is no beginning of a secret, but the placeholder for it."""
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
    """Where the pieces of each text of the model are, as the loop has shown them."""
    found: dict[object, list[int]] = {}
    for at, record in enumerate(records):
        if isinstance(record, EventRecord) and isinstance(record.event, Assistant | Thinking | ToolArguments):
            found.setdefault((type(record.event), record.conversation, record.event.id), []).append(at)
    return found


_IDENTITY: Final = frozenset(
    {"id", "scenario", "wire", "source", "profile", "chunking", "emits", "declines", "capabilities"}
)
"""Members of a case with words of the harness's own; the others say what the scenario's author and the loop say."""


def _case(case: Case, redactor: Redactor) -> Case:
    members = {each.name: getattr(case, each.name) for each in fields(case) if each.name not in _IDENTITY}
    return replace(case, **{name: _without_secrets(value, redactor) for name, value in members.items()})


def _without_secrets(value: Any, redactor: Redactor) -> Any:
    """A member of a case: one with names is JSON, and is redacted as it is in bodies."""
    return _value(value, redactor) if isinstance(value, dict) else _gated(value, redactor)


def _sent(trace: Trace) -> dict[str, str]:
    """What the requests of a trace say in secret beside their bodies. What answers them is the harness's own."""
    from harness.secrets.learned import sent_values

    found: dict[str, str] = {}
    for record in trace.records:
        if isinstance(record, RequestRecord):
            found |= sent_values(record.path, {name: (value,) for name, value in record.headers.items()}, {})
    return {name: value for name, value in found.items() if not value.startswith("[redacted")}


def _texts(trace: Trace) -> set[str]:
    """Each text of a trace once: the texts of JSON one by one, everything else as a whole."""
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
    """What a body says; None where it is no JSON, and is a text as a whole."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        found.add(body.decode("utf-8", "surrogateescape"))
        return None


def _unlike(value: Any, before: Any) -> Any:
    """What of a body has not been in the one before: most of a request is what the last one has said."""
    if not isinstance(value, dict) or not isinstance(before, dict):
        return value
    return {name: _new(member, before.get(name)) for name, member in value.items() if not _same(name, member, before)}


def _same(name: str, member: Any, before: dict[str, Any]) -> bool:
    return name in before and bool(before[name] == member)


def _new(member: Any, before: Any) -> Any:
    """What of a member is new: of a list, the elements that are not where they were."""
    if not isinstance(member, list) or not isinstance(before, list):
        return member
    return [each for at, each in enumerate(member) if at >= len(before) or each != before[at]]


def _add_leaves(value: Any, found: set[str], members: set[tuple[str, str]]) -> None:
    """Add the texts of a value. A member's text comes with its name, which may say that it is secret."""
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
    """The response without its secrets, and where its offsets have gone."""
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
    """Ids and names, too: requests and responses, which say the same ones, are redacted in the same way."""
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
    """The results of a run as they may be written: the gate of all reports."""
    return gated(result)


def gated(value: _T) -> _T:
    """A value with the secrets out of all its texts, whatever records and lists they are in."""
    redacted: _T = _gated(value, run_redactor())
    return redacted


def gated_values(record: Any, but: Collection[str] = ()) -> Any:
    """What JSON says of a record, as ``dataclasses.asdict``, with the secrets out of its texts.

    Members of records whose names are in ``but`` stay as they are. All in one go, because every verdict of a run is
    written this way: most of its texts have been looked at before, so it costs about what ``asdict`` does.
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


def _gated(value: Any, redactor: Redactor, but: Collection[str] = ()) -> Any:
    """The value without secrets; members of records whose names are in ``but`` stay as they are."""
    if isinstance(value, str):
        return redactor.redact_text(value)
    if is_dataclass(value) and not isinstance(value, type):
        members = {each.name: getattr(value, each.name) for each in fields(value) if each.init and each.name not in but}
        return replace(value, **{name: _gated(member, redactor, but) for name, member in members.items()})
    if isinstance(value, Mapping):
        return {_gated(name, redactor): _gated(member, redactor, but) for name, member in value.items()}
    if isinstance(value, list | tuple | frozenset):
        return type(value)(_gated(each, redactor, but) for each in value)
    return value


def redacted_finding(finding: Finding, redactor: Redactor) -> Finding:
    """The finding with the secrets out of what it quotes."""
    redacted: Finding = _gated(finding, redactor)
    return redacted


_NAMES_OF_CASES: Final = frozenset({"id", "scenario", "trace"})
"""By these a run finds its cases and their files again."""


def redacted_result(result: CaseResult, redactor: Redactor) -> CaseResult:
    """The result with the secrets out of all that it says, but for the names of the case."""
    redacted: CaseResult = _gated(result, redactor, _NAMES_OF_CASES)
    return redacted
