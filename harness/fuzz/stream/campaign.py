"""The campaign: turns in every spelling of their bytes, through our readers of them or a user's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from harness.fuzz.campaign import Campaign
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

SIGNATURE: Final = (
    "read(wire: str, chunks: Iterable[bytes]) -> {'text': str, 'calls': [{'id', 'name', 'arguments': str}], "
    "'stop': str or None, 'complete': bool}; {} for a wire that it does not speak, an exception for a stream that "
    "is broken; as a command: {'wire', 'chunks': [base64, ...]} in, the same out"
)


@dataclass(frozen=True, slots=True)
class Readers:
    """The readers to check, and the session whose readings must agree with the official SDK's own."""

    readers: tuple[StreamReader, ...]
    session: SessionReader | None = None


def _open(target: str | None) -> Readers:
    """The readers. Ours are the parser of each wire, and the session of each wire on its official SDK."""
    if target is None:
        session = SessionReader()
        return Readers((WireReader(), session), session)
    if target.startswith("cmd:"):
        return Readers((commanded(CommandSubject(target.removeprefix("cmd:"), SIGNATURE)),))
    return Readers((UserReader(function(target, SIGNATURE)),))


def _check(example: StreamExample, subject: Readers) -> int:
    """Compare every reader's result with the content of the stream (``Campaign.check``)."""
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


CAMPAIGN: Final[Campaign[StreamExample, Readers]] = Campaign(
    name="stream",
    summary="Streamed responses of every wire: any cut, any legal spelling, and what breaks them.",
    signature=SIGNATURE,
    oracles=ORACLES,
    features=FEATURES,
    budget={"ci": 600, "nightly": 50_000},
    chunk=100,
    open=_open,
    enumerated=enumerated,
    examples=stream_examples,
    check=_check,
    features_of=features_of,
    smaller=smaller,
    to_json=example_json,
    from_json=example_from,
    scenario=scenario,
)
"""The bytes of streamed responses: how they are cut, how they are spelled, and where they break."""
