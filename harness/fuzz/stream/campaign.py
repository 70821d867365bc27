"""The campaign: turns in every spelling of their bytes, through our readers of them or a user's."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from hypothesis import strategies as st

from harness.fuzz.campaign import Campaign, Profile
from harness.fuzz.stream.accumulation import NoAccumulation
from harness.fuzz.stream.adoption import scenario
from harness.fuzz.stream.document import example_from, example_json
from harness.fuzz.stream.drawing import stream_examples
from harness.fuzz.stream.enumeration import enumerated
from harness.fuzz.stream.example import StreamExample, delivered
from harness.fuzz.stream.features import FEATURES, features_of
from harness.fuzz.stream.oracles import ORACLES, hold, hold_against_sdk
from harness.fuzz.stream.readers import UserReader, WireReader, commanded
from harness.fuzz.stream.sessions import SessionReader
from harness.fuzz.stream.shrinking import smaller
from harness.fuzz.stream.stream_result import StreamReader
from harness.fuzz.subject import CommandSubject, function
from harness.trace import JsonValue


@dataclass(frozen=True, slots=True)
class Readers:
    """The readers to check, and the session whose readings must agree with the official SDK's own."""

    readers: tuple[StreamReader, ...]
    session: SessionReader | None = None


class StreamCampaign(Campaign[StreamExample, Readers]):
    """The bytes of streamed responses: how they are cut, how they are spelled, and where they break."""

    name: ClassVar[str] = "stream"
    summary: ClassVar[str] = "Streamed responses of every wire: any cut, any legal spelling, and what breaks them."
    signature: ClassVar[str] = (
        "read(wire: str, chunks: Iterable[bytes]) -> {'text': str, 'calls': [{'id', 'name', 'arguments': str}], "
        "'stop': str or None, 'complete': bool}; {} for a wire that it does not speak, an exception for a stream that "
        "is broken; as a command: {'wire', 'chunks': [base64, ...]} in, the same out"
    )
    oracles: ClassVar[Mapping[str, str]] = ORACLES
    features: ClassVar[tuple[str, ...]] = FEATURES
    budget: ClassVar[Mapping[Profile, int]] = {"ci": 600, "nightly": 50_000}
    chunk: ClassVar[int] = 100

    def open(self, target: str | None) -> Readers:
        """The readers. Ours are the parser of each wire, and the session of each wire on its official SDK."""
        if target is None:
            session = SessionReader()
            return Readers((WireReader(), session), session)
        if target.startswith("cmd:"):
            return Readers((commanded(CommandSubject(target.removeprefix("cmd:"), self.signature)),))
        return Readers((UserReader(function(target, self.signature)),))

    def enumerated(self) -> Iterator[StreamExample]:
        """Yield the examples that every campaign begins with, always the same."""
        return enumerated()

    def examples(self) -> st.SearchStrategy[StreamExample]:
        """Return the strategy that draws random examples."""
        return stream_examples()

    def check(self, example: StreamExample, subject: Readers) -> int:
        """Compare every reader's result with the content of the stream.

        Returns the number of runs; raises ``Falsified`` for a mistake.
        """
        runs = 0
        for reader in subject.readers:
            if not reader.takes(example):
                continue
            result = hold(reader, example)
            runs += result is not None
            if result is not None and reader is subject.session and subject.session.is_accumulated(example):
                try:
                    accumulated = subject.session.accumulated(example.wire, delivered(example))
                except NoAccumulation:
                    continue
                hold_against_sdk(result, accumulated, example)
        return runs

    def features_of(self, example: StreamExample) -> Iterable[str]:
        """Return the features of the grammar that the example has, for the coverage."""
        return features_of(example)

    def smaller(self, example: StreamExample) -> Iterator[StreamExample]:
        """Yield simpler examples, the simplest first. Shrinking keeps one that still fails."""
        return smaller(example)

    def to_json(self, example: StreamExample) -> Mapping[str, JsonValue]:
        """Return the example as the JSON of a reproducer."""
        return example_json(example)

    def from_json(self, document: Mapping[str, JsonValue]) -> StreamExample:
        """Return the example of a reproducer. Raises ``ValueError`` for what is none."""
        return example_from(document)

    def scenario(self, example: StreamExample, name: str, summary: str) -> Mapping[str, str] | None:
        """Return the files of a scenario with this example by their names; None if it cannot be scripted."""
        return scenario(example, name, summary)
