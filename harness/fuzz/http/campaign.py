"""The campaign ``http``: what is sent to the local server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.fuzz.campaign import Campaign
from harness.fuzz.http.client import FuzzedServer
from harness.fuzz.http.example import HttpExample
from harness.fuzz.http.kinds import KINDS
from harness.fuzz.http.making import drawn, enumerated, smaller
from harness.fuzz.http.oracles import ORACLES, hold
from harness.fuzz.subject import function

SIGNATURE: Final = "expected an async context manager serving(gateway) that serves it and gives http://127.0.0.1:PORT"


def _open(target: str | None) -> FuzzedServer:
    return FuzzedServer() if target is None else FuzzedServer(function(target, SIGNATURE))


def _check(example: HttpExample, subject: FuzzedServer) -> int:
    """Send the example to the server and check what it answers. Returns the number of answers."""
    return hold(example, subject.answered(example.pieces()))


def _features_of(example: HttpExample) -> Iterator[str]:
    """The kinds of its requests, and how they are sent."""
    yield from {unit.kind for unit in example.units}
    if len(example.units) > 1:
        yield "pipelined"
    if example.sizes:
        yield "bytewise" if example.sizes == (1,) else "cut"


CAMPAIGN: Final[Campaign[HttpExample, FuzzedServer]] = Campaign(
    name="http",
    summary="What clients and attackers send to the local server, read back by another implementation.",
    signature=SIGNATURE,
    oracles=ORACLES,
    features=(*KINDS, "pipelined", "cut", "bytewise"),
    budget={"ci": 4_000, "nightly": 200_000},
    chunk=500,
    open=_open,
    enumerated=enumerated,
    examples=drawn,
    check=_check,
    features_of=_features_of,
    smaller=smaller,
    to_json=HttpExample.to_json,
    from_json=HttpExample.from_json,
    scenario=lambda example, name, summary: None,  # noqa: ARG005 - a scenario says what a model answers, not a client
)
"""Requests over loopback, valid and hostile, pipelined and cut, at the server of ``harness serve``."""
