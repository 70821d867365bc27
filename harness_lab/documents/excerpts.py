"""The lines of a trace that show a finding: what the model had answered, and what the loop sent then.

An excerpt is for a page that people read: at most ten lines of one item each, long texts cut, and no folder of the
machine on which the case ran.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from harness.trace import RequestRecord, ResponseRecord, Trace
from harness.trace.model import MAIN
from harness.wire import FinishReason, Reply, Wire, wire

_MOST_ITEMS: Final = 5
"""Of an answer, and of a request: ten lines in all."""

_LONGEST_TEXT: Final = 90
_LONGEST_LINE: Final = 420
_OPAQUE: Final = re.compile(r"[\w+/=-]{48,}")
"""Signatures and encrypted thinking: their first characters are enough."""

_CASE: Final = re.compile(r"/[^\s\"'\\]*harness-agent-[^/\s\"'\\]+/(work|home)")
"""The folders of a case, which have another name in each run."""

_MACHINE: Final = re.compile(r"/(?:tmp|root|home/\w+|Users/\w+|private|var)/[^\s\"'\\<>]*")
_PLACE: Final = re.compile(r"(?:messages|input|contents)[.\[](\d+)")
"""Where a rule says that something of the history is: ``messages.2``, ``input[2]``."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What shows a finding. ``answer`` is empty where the model was not asked, ``request`` where none came after it."""

    answer: tuple[str, ...]
    request: tuple[str, ...]


def excerpt_of(trace: Trace, finding: Mapping[str, Any]) -> Excerpt:
    """The excerpt for a finding of ``results.json``, from the trace of its case."""
    asked = [each for each in trace.records if isinstance(each, RequestRecord) and each.conversation == MAIN]
    answers = {each.exchange: each for each in trace.records if isinstance(each, ResponseRecord)}
    spoken = wire(trace.case.wire)
    last = _seen_in(trace, finding, asked, answers, spoken)
    if last is None:
        return Excerpt((), ())
    before = asked[: asked.index(last) + 1]
    answered = _answered(trace, finding, answers, before, last)
    lines = () if answered is None else tuple(_answer(answered, spoken))
    first = None if answered is None else next((each for each in asked if each.exchange == answered.exchange), None)
    return Excerpt(lines, tuple(_request(last, first, finding, spoken)) if last is not first else ())


def without_folders(text: str) -> str:
    """A text without the folders of the machine: ``$work`` and ``$home`` are those of the case."""
    return _MACHINE.sub("$folder", _CASE.sub(r"$\1", text))


# --- which records ----------------------------------------------------------------------------------------------


def _seen_in(
    trace: Trace,
    finding: Mapping[str, Any],
    asked: Sequence[RequestRecord],
    answers: Mapping[int, ResponseRecord],
    spoken: Wire,
) -> RequestRecord | None:
    """The request that the finding is about: the one that it names, else that behind the first answer with a call."""
    record = _record(trace, finding["at"])
    if isinstance(record, RequestRecord) and record in asked:
        return record
    calling = [n for n, each in enumerate(asked) if _calls(answers.get(each.exchange), spoken)]
    at = calling[0] + 1 if calling else len(asked) - 1
    return asked[min(at, len(asked) - 1)] if asked else None


def _answered(
    trace: Trace,
    finding: Mapping[str, Any],
    answers: Mapping[int, ResponseRecord],
    before: Sequence[RequestRecord],
    last: RequestRecord,
) -> ResponseRecord | None:
    """The answer that the finding is about: the one that it names, else that to the request before."""
    if isinstance(record := _record(trace, finding["answer"]), ResponseRecord):
        return record
    earlier = before[-2] if len(before) > 1 else last
    return answers.get(earlier.exchange)


def _record(trace: Trace, line: int | None) -> object:
    """The record on a line of the trace; the case is on the first."""
    return trace.records[line - 2] if line is not None and 2 <= line <= len(trace.records) + 1 else None


def _calls(answered: ResponseRecord | None, spoken: Wire) -> bool:
    reply = None if answered is None else _reply(answered, spoken)
    return reply is not None and bool(reply.turn.calls)


def _reply(answered: ResponseRecord, spoken: Wire) -> Reply | None:
    """The answer as its wire reads it; None where nobody can read it."""
    try:
        return spoken.parse(dict(answered.headers).get("content-type", ""), answered.body)
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


# --- as lines ---------------------------------------------------------------------------------------------------


def _answer(answered: ResponseRecord, spoken: Wire) -> Iterator[str]:
    if answered.status >= 400:
        yield _line({"status": answered.status, "body": answered.body.decode("utf-8", "replace")})
        return
    reply = _reply(answered, spoken)
    if reply is None:
        yield "// nobody can read this answer"
        return
    yield from map(_line_or_gap, _shown(reply.items))
    if end := _end(answered, reply):
        yield f"// {end}"


def _end(answered: ResponseRecord, reply: Reply) -> str:
    """How the answer ended, where it did not end as usual."""
    if reply.turn.error is not None:
        return f"then an error in the stream: {_cut(reply.turn.error.message)}"
    if answered.end != "eof":
        return f"then the connection breaks ({answered.end})"
    if not reply.complete:
        return "then the stream ends without its last event"
    return "" if reply.turn.stop in (FinishReason.END, FinishReason.TOOL_CALLS) else f"finished: {reply.turn.stop}"


def _request(
    last: RequestRecord, first: RequestRecord | None, finding: Mapping[str, Any], spoken: Wire
) -> Iterator[str]:
    """What the request has behind all that it has in common with the one that was answered."""
    items, earlier = _history(last, spoken), [] if first is None else _history(first, spoken)
    same = next(
        (n for n, (one, other) in enumerate(zip(items, earlier, strict=False)) if one != other),
        min(len(items), len(earlier)),
    )
    places = [finding.get("detail") or "", (finding.get("provider") or {}).get("place") or ""]
    named = [int(found[1]) for place in places if (found := _PLACE.search(place))]
    start = min([same, *named]) if items else 0
    end = max([start + _MOST_ITEMS, *(each + 1 for each in named)])
    yield from map(_line_or_gap, _shown(items[start:end]))


def _shown(items: Sequence[Any]) -> list[Any]:
    """The first ones and the last one, with None for what is left out between them."""
    return list(items) if len(items) <= _MOST_ITEMS else [*items[: _MOST_ITEMS - 2], None, items[-1]]


def _line_or_gap(item: Any) -> str:
    return "// ..." if item is None else _line(item)


def _history(record: RequestRecord, spoken: Wire) -> list[Any]:
    try:
        entries = json.loads(record.body)[spoken.history]
    except (ValueError, KeyError, TypeError):
        return []
    return [_without_marks(each) for each in entries] if isinstance(entries, list) else [entries]


def _without_marks(value: Any) -> Any:
    """A value without the marks of a cache, which move from one request to the next."""
    if isinstance(value, dict):
        return {name: _without_marks(each) for name, each in value.items() if name != "cache_control"}
    return [_without_marks(each) for each in value] if isinstance(value, list) else value


def _line(item: Any) -> str:
    line = json.dumps(_shortened(item), ensure_ascii=False)
    return line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + "…"


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shortened(each) for name, each in value.items()}
    if isinstance(value, list):
        return [_shortened(each) for each in value]
    return _cut(value) if isinstance(value, str) else value


def _cut(text: str) -> str:
    text = _OPAQUE.sub(lambda found: found[0][:12] + "…", without_folders(text))
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"
