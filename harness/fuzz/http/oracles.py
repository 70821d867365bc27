"""Demands on the answers on a connection, whatever was sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import h11

from harness.fuzz.campaign import Falsified
from harness.fuzz.http.client import SILENCE, FuzzedAnswer
from harness.fuzz.http.example import HttpExample, Unit
from harness.fuzz.http.kinds import KINDS

ORACLES: Final[Mapping[str, str]] = {
    "raises": "Nothing is raised in the server, and nothing is answered with an error of its own.",
    "answers": "Every request is answered, and so are bytes that are none; no connection is left without an end.",
    "reads": "Every answer is one of HTTP/1.1, as h11 reads it, and nothing is between two of them.",
    "right": "Each request has the status and the body that are right, in the order in which they were sent.",
    "closes": "Behind what ends a connection nothing is answered.",
    "records": "The record of the case has the requests that were let in, and no other.",
    "leaves": "When a connection has ended, nothing of it is left in the server.",
}


@dataclass(frozen=True, slots=True)
class _Read:
    status: int
    body: bytes


def hold(example: HttpExample, answered: FuzzedAnswer) -> int:
    """Check what came back. Returns how many answers there were; raises ``Falsified`` for a mistake."""
    if answered.raised:
        raise Falsified("raises", "no exception in the server", answered.raised[0])
    if not answered.closed:
        raise Falsified(
            "answers", f"the end of the connection within {SILENCE:g} s", f"{answered.data[-80:]!r} and no end"
        )
    expected, free = _expected_units(example)
    answers = _answers(answered.data, expected)
    count = 0
    for unit in expected:
        found = next(answers, None)
        if found is None:
            raise Falsified("answers", f"an answer to {unit.kind}, request {count + 1}", f"{count} answers")
        count += 1
        _right(unit, found)
    count += _free(free, answers)
    asked = sum(KINDS[unit.kind].asks for unit in expected)
    if free is None and answered.asked != asked:
        raise Falsified("records", f"{asked} requests in the record of the case", str(answered.asked))
    if answered.left:
        raise Falsified("leaves", "no task of the connection", f"{answered.left} tasks")
    return count


def _expected_units(example: HttpExample) -> tuple[list[Unit], Unit | None]:
    """The units with exactly one answer each, and the one after them that may have any number of answers."""
    expected: list[Unit] = []
    for unit in example.units:
        kind = KINDS[unit.kind]
        if kind.free:
            return expected, unit
        expected.append(unit)
        if kind.ends:
            break
    return expected, None


def _right(unit: Unit, found: _Read) -> None:
    kind = KINDS[unit.kind]
    if found.status not in kind.statuses:
        _no_mistake_of_ours(found)
        statuses = " or ".join(map(str, sorted(kind.statuses)))
        raise Falsified("right", f"{statuses} for {unit.kind}", f"{found.status} {found.body[:200]!r}")
    if kind.says not in found.body:
        raise Falsified("right", f"{kind.says!r} in the answer to {unit.kind}", f"{found.body[:200]!r}")


def _no_mistake_of_ours(found: _Read) -> None:
    if found.status == 500:
        raise Falsified("raises", "no error of the server's own", f"{found.body[:200]!r}")


def _free(unit: Unit | None, answers: Iterator[_Read]) -> int:
    """Count the answers after the expected ones: none, or answers to the unit that may have any number."""
    if unit is None:
        if (more := next(answers, None)) is not None:
            raise Falsified("closes", "nothing behind the last answer", f"{more.status} {more.body[:200]!r}")
        return 0
    count = 0
    for found in answers:
        count += 1
        _no_mistake_of_ours(found)
        if found.status not in KINDS[unit.kind].statuses:
            raise Falsified("right", "a status of HTTP", str(found.status))
    if not count and unit.data.strip(b"\r\n"):
        raise Falsified("answers", f"an answer to {unit.kind}", "none")
    return count


def _answers(data: bytes, expected: list[Unit]) -> Iterator[_Read]:
    """The answers in sequence. Those after the expected ones are read as answers to ``GET``."""
    at = 0
    while data:
        head = at < len(expected) and KINDS[expected[at].kind].head
        found, data = _first(data, "HEAD" if head else "GET")
        if head and found.body:
            raise Falsified("reads", "no body in the answer to HEAD", f"{found.body[:80]!r}")
        at += 1
        yield found


def _first(data: bytes, method: str) -> tuple[_Read, bytes]:
    """The first answer in the bytes, and what follows it."""
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method=method, target="/", headers=[("host", "localhost")]))
    client.send(h11.EndOfMessage())
    client.receive_data(data)
    client.receive_data(b"")
    status, body = 0, bytearray()
    try:
        while not isinstance(event := client.next_event(), h11.EndOfMessage):
            if isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                body += event.data
            elif not isinstance(event, h11.InformationalResponse):
                raise Falsified("reads", "a whole answer", f"{data[:200]!r}")
    except h11.RemoteProtocolError as error:
        raise Falsified("reads", "an answer of HTTP/1.1", f"{error}: {data[:200]!r}") from None
    return _Read(status, bytes(body)), bytes(client.trailing_data[0])
