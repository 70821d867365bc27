"""A run as text that a person can compare: what the loop emitted, and what is new in each request.

Ids and signatures have names (``harness.trace.canonical``). What repeats is left out: the members of a body that are as
in the request before, and the part of the history that was sent before. Long texts have their length, their beginning
and a hash, so that any change shows.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any

from harness.trace import Trace
from harness.trace.canonical import canonical_values

_LONGEST = 160
_BEGINNING = 80
_ID = re.compile(r"\bid-\d+\b")
_WORDS = ("assistant", "thinking")


def golden_text(traces: Mapping[str, Trace]) -> str:
    """The runs of a scenario, by wire: first the events, once for all wires on which they are the same."""
    records = {wire: [*canonical_values(trace, bodies_of_responses=False)] for wire, trace in traces.items()}
    by_events: dict[str, list[str]] = {}
    for wire, each in records.items():
        by_events.setdefault("\n".join(_events(each)), []).append(wire)
    parts = [f"== events: {', '.join(wires)}\n{text}" for text, wires in by_events.items()]
    parts += [f"== requests: {wire}\n" + "\n".join(_requests(each)) for wire, each in records.items()]
    return "\n\n".join(parts) + "\n"


# --- events -------------------------------------------------------------------------------------------------


def _events(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A line for each event; texts in pieces, and previews of one call, are one line."""
    events = [record for record in records if "event" in record]
    names: dict[str, str] = {}
    for (kind, _), group in groupby(events, key=_alike):
        some = list(group)
        line = _pieces(kind, some) if kind in _WORDS else _previews(some) if kind == "preview" else _event(some[0])
        yield _ID.sub(lambda found: names.setdefault(found[0], f"id-{len(names) + 1}"), line)


def _alike(event: Mapping[str, Any]) -> tuple[str, object]:
    """What events have in common that are one line; any other event has a line of its own."""
    if event["event"] in _WORDS:
        return event["event"], event["id"]
    return ("preview", event["id"]) if event.get("preview") else ("", id(event))


def _pieces(kind: str, events: list[Mapping[str, Any]]) -> str:
    text = "".join(event["text"] for event in events)
    return f"{kind} {events[0]['id']}, {len(events)} pieces: {_short(text)}"


def _previews(events: list[Mapping[str, Any]]) -> str:
    lengths = ", ".join(str(len(event["code"])) for event in events)
    return f"setCode {events[0]['id']}, previews of {lengths} characters, the last {_short(events[-1]['code'])}"


def _event(event: Mapping[str, Any]) -> str:
    said = {key: value for key, value in event.items() if key != "event"}
    if isinstance(said.get("history"), list):  # the wires' models have other names, and a rule judges them
        said["history"] = [{key: value for key, value in each.items() if key != "model"} for each in said["history"]]
    return f"{event['event']} {_short(said)}"


# --- requests -----------------------------------------------------------------------------------------------


def _requests(records: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    every = list(records)
    ends = {record["response"]: _end(record, every) for record in every if "response" in record}
    before: Mapping[str, Any] = {}
    for record in every:
        if "request" in record:
            body = record["body"] if isinstance(record["body"], dict) else {"body": record["body"]}
            yield f"{record['request'] + 1}. {record['method']} {record['path']}"
            yield from (f"   {line}" for line in _new(before, body))
            yield f"   answered {ends.get(record['request'], 'by nothing')}"
            before = body


def _end(response: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> str:
    """The status, and how the stream ended.

    Whether a client that has failed has read a stream to its end is chance: some SDKs leave the rest of it to Python's
    collector of garbage.
    """
    exchange, end = response["response"], response["end"]
    is_failed = end in ("eof", "closed") and any(
        record.get("event") == "error" for record in _until_the_next_request(exchange, records)
    )
    return str(response["status"]) if is_failed else f"{response['status']}, {end}"


def _until_the_next_request(exchange: int, records: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    is_after = False
    for record in records:
        if "request" in record:
            is_after = record["request"] == exchange
        if is_after:
            yield record


def _new(before: Mapping[str, Any], body: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{key}: gone" for key in sorted(before.keys() - body.keys()))
    for key, value in sorted(body.items()):
        if before.get(key) == value:
            continue
        old = before.get(key)
        if isinstance(value, list) and all(isinstance(item, dict) for item in value) and key != "tools":
            yield from _items(key, old if isinstance(old, list) else [], value)
        else:
            yield f"{key}: {_tools(value) if key == 'tools' else _short(value)}"


def _items(key: str, old: list[Any], new: list[Any]) -> Iterator[str]:
    """A list that grows: only what was not there before."""
    if len(new) < len(old):
        yield f"{key}: {len(new)} items, before {len(old)}"
    for at, item in enumerate(new):
        if at >= len(old) or old[at] != item:
            yield f"{key}[{at}]: {_short(item)}"


def _tools(value: object) -> str:
    """Names, and a hash of all that is said of them: ``test_definitions`` has that in full."""
    names = re.findall(r'"name": "([\w-]+)"', json.dumps(value))
    return f"{', '.join(names)} ({_hash(value)})"


def _short(value: object) -> str:
    """JSON in one line, every long text in it cut."""
    return json.dumps(_cut(value), ensure_ascii=False, sort_keys=True)


def _cut(value: object) -> object:
    if isinstance(value, str):
        return value if len(value) <= _LONGEST else f"{value[:_BEGINNING]}… {len(value)} characters, {_hash(value)}"
    if isinstance(value, list | tuple):
        return [_cut(each) for each in value]
    return {key: _cut(each) for key, each in value.items()} if isinstance(value, dict) else value


def _hash(value: object) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:8]
