"""Server-sent events as servers may write them: the same events in other bytes, and streams that break.

The WHATWG text (https://html.spec.whatwg.org/multipage/server-sent-events.html) and JSON define what is legal.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from typing import Any, Final, Literal, get_args

from hypothesis import strategies as st

from harness.wire.json_text import encoded
from harness.wire.sse import SseEvent

VARIATIONS: Final[Mapping[str, str]] = {
    "LF": "every line ends in LF",
    "CRLF": "every line ends in CR LF",
    "CR": "every line ends in CR",
    "mixed line ends": "lines end in LF, CR LF or CR by turns",
    "no space": "no space behind the colon of a field",
    "no event names": "no event fields",
    "event behind data": "the event field comes behind the data",
    "comments": "comments before and inside the events, one of which looks like data",
    "blank lines": "more blank lines than one between the events",
    "more fields": "every event has an id, a retry and a field that nobody knows",
    "events without data": "blocks of an event, an id or a retry alone, which say nothing",
    "BOM": "a byte order mark at the start",
    "other events": "pings, and events that nobody knows",
    "many data lines": "the JSON goes over several data lines",
    "spaced JSON": "blanks around every comma and colon",
    "escaped JSON": "everything beyond ASCII is escaped, and every slash",
    "other key order": "the members of all objects the other way round",
    "no final blank line": "the last event lacks the blank line behind it",
}
"""The ways in which the bytes may differ. Of several line ends the first one counts.

By the WHATWG text an event without its blank line is no event. Use that variation only if nothing depends on the last
event.
"""

FaultKind = Literal["cut", "broken JSON", "error", "no end", "end twice"]
FAULTS: Final[tuple[FaultKind, ...]] = get_args(FaultKind)


@dataclass(frozen=True, slots=True)
class StreamFault:
    """The fault of a stream.

    ``cut``: it ends after ``at`` bytes; ``broken JSON``: the event at ``at`` lacks its last brace; ``error``: an error
    replaces the event at ``at``, and nothing follows it; ``no end``: the events that end it are missing; ``end twice``:
    they come twice.
    """

    kind: FaultKind
    at: int = 0


def written(events: Sequence[SseEvent], varied: Collection[str] = (), between: Sequence[SseEvent] = ()) -> list[bytes]:
    """The bytes of each event, with the text before it. ``varied`` are names of ``VARIATIONS``.

    With ``other events``, one event of ``between`` is put before each event, over and over.
    """
    put_in: Iterator[SseEvent | None] = cycle(between if between and "other events" in varied else [None])
    ends = cycle(_line_ends(varied))
    pieces = []
    for number, event in enumerate(events):
        other = next(put_in)
        blocks = [_block(other, varied)] if other else []
        if "events without data" in varied:
            blocks.append([["event: x"], ["id: 7"], ["retry: 10"]][number % 3])
        blocks.append(_block(event, varied))
        pieces.append("".join(_block_text(block, next(ends), varied) for block in blocks))
    if pieces and "BOM" in varied:
        pieces[0] = f"\ufeff{pieces[0]}"
    whole = [encoded(piece) for piece in pieces]
    return without_final_blank_line(whole) if "no final blank line" in varied else whole


def without_final_blank_line(pieces: Sequence[bytes]) -> list[bytes]:
    """The events; the last one lacks the blank line after it."""
    if not pieces:
        return []
    bare = pieces[-1].rstrip(b"\r\n")
    end = pieces[-1][len(bare) :]
    return [*pieces[:-1], bare + (end[:2] if end.startswith(b"\r\n") else end[:1])]


def damaged(
    pieces: Sequence[bytes], fault: StreamFault | None, *, terminal: int = 1, error: bytes = b""
) -> list[bytes]:
    """The events of a stream with ``fault``; ``terminal`` is how many of them end it, ``error`` is an event that
    reports an error.

    Each has its blank line. A place after the end is the last one.
    """
    if fault is None:
        return list(pieces)
    match fault.kind:
        case "cut":
            return _first_bytes(pieces, fault.at)
        case "broken JSON":
            return _with_broken_json(list(pieces), fault.at)
        case "error":
            return [*pieces[: min(fault.at, len(pieces) - 1)], error] if pieces else [error]
        case "no end":
            return list(pieces[: len(pieces) - terminal])
        case "end twice":
            return [*pieces, *pieces[len(pieces) - terminal :]]


def variations(names: Collection[str] = tuple(VARIATIONS), *, max_size: int = 3) -> st.SearchStrategy[tuple[str, ...]]:
    """A few of ``names``, in the order of ``VARIATIONS``; shrinking leads to none."""
    order = [name for name in VARIATIONS if name in names]
    chosen = st.lists(st.sampled_from(order), max_size=max_size, unique=True) if order else st.just([])
    return chosen.map(lambda drawn: tuple(name for name in order if name in drawn))


def sse_streams(
    events: Sequence[SseEvent], *, names: Collection[str] = tuple(VARIATIONS), between: Sequence[SseEvent] = ()
) -> st.SearchStrategy[bytes]:
    """The bytes of ``events`` as a server may write them, varied in a few of ``names``.

    >>> from hypothesis import given
    >>> @given(sse_streams([SseEvent('{"text": "é"}'), SseEvent("[DONE]")]))
    ... def test_my_reader_reads_every_form(body):
    ...     assert my_reader(body) == "é"
    """
    return variations(names).map(lambda varied: b"".join(written(events, varied, between)))


# --- writing ------------------------------------------------------------------------------------------------

_COMMENTS: Final = (":", ": keep-alive", ': data: {"no": "data"}')
_MIXED: Final = (
    ("\n", "\n"), ("\r\n", "\r\n"), ("\r", "\r"), ("\r\n", "\n"), ("\n", "\r\n"), ("\r", "\r\n"), ("\r\n", "\r"),
)  # fmt: skip
"""Line ends of an event and of its blank line; CR and then LF would be one line end and not two."""


def _line_ends(varied: Collection[str]) -> Sequence[tuple[str, str]]:
    for name, end in (("LF", "\n"), ("CRLF", "\r\n"), ("CR", "\r")):
        if name in varied:
            return [(end, end)]
    return _MIXED if "mixed line ends" in varied else [("\n", "\n")]


def _block(event: SseEvent, varied: Collection[str]) -> list[str]:
    """The lines of an event, without its blank line."""
    data = [f"data: {line}" for line in _data(event.data, varied)]
    named = event.event != "message" and "no event names" not in varied
    name = [f"event: {event.event}"] if named else []
    lines = [*data, *name] if "event behind data" in varied else [*name, *data]
    if "more fields" in varied:
        lines = ["id: 1", *lines, "retry: 10", "note: data"]
    if "no space" in varied:
        lines = [line.replace(": ", ":", 1) for line in lines]
    if "comments" in varied:
        lines = [_COMMENTS[0], _COMMENTS[1], lines[0], _COMMENTS[2], *lines[1:]]
    return lines


def _block_text(lines: Sequence[str], ends: tuple[str, str], varied: Collection[str]) -> str:
    of_lines, of_blank = ends
    blank = of_blank * (3 if "blank lines" in varied else 1)
    return "".join([line + of_lines for line in lines]) + blank


def _data(data: str, varied: Collection[str]) -> list[str]:
    """The lines of the data: the same JSON value in another form. Other text is unchanged."""
    asked = {"many data lines", "spaced JSON", "escaped JSON", "other key order"}.intersection(varied)
    try:
        value = json.loads(data) if asked else None
    except ValueError:
        return [data]
    if not asked:
        return [data]
    if "other key order" in asked:
        value = _in_reverse(value)
    spaced = (" , ", " : ") if "spaced JSON" in asked else (",", ":")
    indent = 1 if "many data lines" in asked else None
    text = json.dumps(value, ensure_ascii="escaped JSON" in asked, separators=spaced, indent=indent)
    return (text.replace("/", "\\/") if "escaped JSON" in asked else text).split("\n")


def _in_reverse(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _in_reverse(member) for name, member in reversed(value.items())}
    return [_in_reverse(member) for member in value] if isinstance(value, list) else value


# --- damage -------------------------------------------------------------------------------------------------


def _first_bytes(pieces: Sequence[bytes], count: int) -> list[bytes]:
    kept = []
    for piece in pieces:
        if count <= 0:
            break
        kept.append(piece[:count])
        count -= len(piece)
    return kept


def _with_broken_json(pieces: list[bytes], at: int) -> list[bytes]:
    """The events without the last brace of the nearest one that has JSON."""
    objects = [place for place, piece in enumerate(pieces) if b"}" in piece]
    if objects:
        place = min(objects, key=lambda each: abs(each - at))
        head, _, tail = pieces[place].rpartition(b"}")
        pieces[place] = head + tail
    return pieces
