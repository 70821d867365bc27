"""The campaign ``http``: what is sent to the local server."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from harness.fuzz.campaign import Campaign, Profile
from harness.fuzz.http.client import FuzzedServer
from harness.fuzz.http.example import HttpExample
from harness.fuzz.http.kinds import KINDS
from harness.fuzz.http.making import drawn, enumerated, smaller
from harness.fuzz.http.oracles import ORACLES, hold
from harness.fuzz.subject import function
from harness.trace import JsonValue

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class HttpCampaign(Campaign[HttpExample, FuzzedServer]):
    """Requests over loopback, valid and hostile, pipelined and cut, at the server of ``harness serve``."""

    name: ClassVar[str] = "http"
    summary: ClassVar[str] = "What clients and attackers send to the local server, read back by another implementation."
    signature: ClassVar[str] = (
        "expected an async context manager serving(gateway) that serves it and gives http://127.0.0.1:PORT"
    )
    oracles: ClassVar[Mapping[str, str]] = ORACLES
    features: ClassVar[tuple[str, ...]] = (*KINDS, "pipelined", "cut", "bytewise")
    budget: ClassVar[Mapping[Profile, int]] = {"ci": 4_000, "nightly": 200_000}
    chunk: ClassVar[int] = 500

    def open(self, target: str | None) -> FuzzedServer:
        """Return our server, or one that ``target`` names. Raises ``BadInput``."""
        return FuzzedServer() if target is None else FuzzedServer(function(target, self.signature))

    def enumerated(self) -> Iterator[HttpExample]:
        """Yield the examples that every campaign begins with, always the same."""
        return enumerated()

    def examples(self) -> SearchStrategy[HttpExample]:
        """Return the strategy that draws random examples."""
        return drawn()

    def check(self, example: HttpExample, subject: FuzzedServer) -> int:
        """Send the example to the server and check what it answers. Returns the number of answers."""
        return hold(example, subject.answered(example.pieces()))

    def features_of(self, example: HttpExample) -> Iterable[str]:
        """Return the kinds of its requests, and how they are sent."""
        yield from {unit.kind for unit in example.units}
        if len(example.units) > 1:
            yield "pipelined"
        if example.sizes:
            yield "bytewise" if example.sizes == (1,) else "cut"

    def smaller(self, example: HttpExample) -> Iterator[HttpExample]:
        """Yield simpler examples, the simplest first."""
        return smaller(example)

    def to_json(self, example: HttpExample) -> Mapping[str, JsonValue]:
        """Return the example as the JSON of a reproducer."""
        return example.to_json()

    def from_json(self, document: Mapping[str, JsonValue]) -> HttpExample:
        """Return the example of a reproducer. Raises ``ValueError`` for what is none."""
        return HttpExample.from_json(document)

    def scenario(self, example: HttpExample, name: str, summary: str) -> Mapping[str, str] | None:  # noqa: ARG002
        """Return None: a scenario says what a model answers, and not what a client sends."""
        return None
