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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache, lru_cache
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any, TypeVar

from harness.finding import Finding, ProviderAnswer
from harness.runner.results import CaseResult, RunResult
from harness.trace import Event, EventRecord, Record, RequestRecord, ResponseRecord, Trace

if TYPE_CHECKING:
    from harness.secrets import Redactor

__all__ = [
    "gated",
    "gated_values",
    "knowing_sent",
    "redacted_finding",
    "redacted_result",
    "redacted_run",
    "redacted_trace",
    "run_redactor",
]

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


def redacted_trace(trace: Trace, redactor: Redactor) -> Trace:
    """The trace with the secrets out of its requests, responses and events, and out of what its tools return.

    The same value where there is none, which is looked for in each text once, however many requests repeat it.
    """
    sent = _sent(trace)
    if not sent and not any(map(redactor.finds, _texts(trace))):
        return trace
    redactor = redactor.knowing(sent)
    case = replace(
        trace.case,
        target=redactor.redact_text(trace.case.target),
        returns={tool: _value(value, redactor) for tool, value in trace.case.returns.items()},
        inputs={call: _value(value, redactor) for call, value in trace.case.inputs.items()},
        prompt=tuple((role, redactor.redact_text(text)) for role, text in trace.case.prompt),
    )
    responses = {each.exchange: each for each in trace.records if isinstance(each, ResponseRecord)}
    offsets: dict[int, set[int]] = {}
    for record in trace.records:
        if isinstance(record, EventRecord) and record.exchange is not None:
            offsets.setdefault(record.exchange, set()).add(record.offset)
    moved = {at: _response(each, sorted(offsets.get(at, ())), redactor) for at, each in responses.items()}
    return replace(trace, case=case, records=tuple([_record(record, redactor, moved) for record in trace.records]))


def _sent(trace: Trace) -> dict[str, str]:
    """What the requests of a trace say in secret beside their bodies. What answers them is the harness's own."""
    from harness.secrets.learned import sent_values

    found: dict[str, str] = {}
    for record in trace.records:
        if isinstance(record, RequestRecord):
            found |= sent_values(record.path, {name: (value,) for name, value in record.headers.items()}, {})
    return {name: value for name, value in found.items() if value != "[redacted]"}


def _texts(trace: Trace) -> Iterator[str]:
    """Each text of a trace once: the texts of JSON one by one, everything else as a whole."""
    seen: set[str] = set()
    for text in _all_texts(trace):
        if text not in seen:
            seen.add(text)
            yield text


def _all_texts(trace: Trace) -> Iterator[str]:
    yield trace.case.target
    yield json.dumps([trace.case.returns, trace.case.inputs, trace.case.prompt])
    for record in trace.records:
        if isinstance(record, RequestRecord):
            yield record.path
            yield from record.headers.values()
            yield from _in_json(record.body)
        elif isinstance(record, EventRecord):
            for name in _members(record.event):
                yield from _leaves(getattr(record.event, name))


def _in_json(body: bytes) -> Iterator[str]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        yield body.decode("utf-8", "surrogateescape")
        return
    yield from _leaves(value)


def _leaves(value: Any) -> Iterator[str]:
    """The texts of a value. A member's text comes with its name, which may say that it is secret."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield f'"{name}": "{inner}"' if isinstance(inner, str) else name
            if not isinstance(inner, str):
                yield from _leaves(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _leaves(inner)


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
    _, offsets = moved.get(-1 if record.exchange is None else record.exchange, (None, {}))
    offset = offsets.get(record.offset, record.offset)
    return replace(record, event=_event(record.event, redactor), offset=offset)


def _members(event: Event) -> list[str]:
    return [each.name for each in fields(event) if each.name not in ("id", "name")]


def _event(event: Event, redactor: Redactor) -> Event:
    return replace(event, **{name: _value(getattr(event, name), redactor) for name in _members(event)})


def _value(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.redact_text(value)
    if not isinstance(value, dict | list):
        return value
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


def _gated(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, str):
        return redactor.redact_text(value)
    if is_dataclass(value) and not isinstance(value, type):
        members = {each.name: getattr(value, each.name) for each in fields(value) if each.init}
        return replace(value, **{name: _gated(member, redactor) for name, member in members.items()})
    if isinstance(value, Mapping):
        return {_gated(name, redactor): _gated(member, redactor) for name, member in value.items()}
    if isinstance(value, list | tuple | frozenset):
        return type(value)(_gated(each, redactor) for each in value)
    return value


def redacted_finding(finding: Finding, redactor: Redactor) -> Finding:
    """The finding with the secrets out of what it quotes."""
    return replace(
        finding,
        expected=redactor.redact_text(finding.expected),
        got=redactor.redact_text(finding.got),
        detail=redactor.redact_text(finding.detail),
        provider=finding.provider and _answer(finding.provider, redactor),
    )


def _answer(answer: ProviderAnswer, redactor: Redactor) -> ProviderAnswer:
    """What the provider answers, without the secrets that it quotes from the request."""
    param = None if answer.param is None else redactor.redact_text(answer.param)
    return replace(
        answer, message=redactor.redact_text(answer.message), place=redactor.redact_text(answer.place), param=param
    )


def redacted_result(result: CaseResult, redactor: Redactor) -> CaseResult:
    """The result with the secrets out of its findings, and out of what it quotes beside them."""
    text = redactor.redact_text
    return replace(
        result,
        target=text(result.target),
        findings=tuple([redacted_finding(each, redactor) for each in result.findings]),
        error=None if result.error is None else text(result.error),
        reason=text(result.reason),
        repeat=text(result.repeat),
        conversations=tuple([replace(each, begins=text(each.begins)) for each in result.conversations]),
        blocked=tuple(map(text, result.blocked)),
        not_served={text(what): count for what, count in result.not_served.items()},
        notes=tuple(map(text, result.notes)),
        names=tuple(map(text, result.names)),
    )
