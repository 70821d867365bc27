"""The campaign itself: what it makes and covers, what it writes down, and that ours survives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from harness.fuzz.campaign import Falsified
from harness.fuzz.strategies.sse import StreamFault
from harness.fuzz.stream.campaign import CAMPAIGN, Readers
from harness.fuzz.stream.dialects import DIALECTS, FUZZED
from harness.fuzz.stream.example import StreamExample, delivered, sent
from harness.fuzz.stream.readers import WireReader
from harness.wire import Call, FinishReason, Refusal, Text, Turn, wire
from harness.wire.sse import SseParser
from tests.fuzz.examples import drawn

generated = settings(
    database=None, deadline=None, phases=(Phase.generate,), suppress_health_check=list(HealthCheck), max_examples=150
)

TURN = Turn((Text("é😀\u2028"), Call("f", '{"a":1}')), FinishReason.TOOL_CALLS)


@pytest.fixture(scope="module")
def ours() -> Readers:
    return CAMPAIGN.open(None)


# --- ours -----------------------------------------------------------------------------------------------------
# A part of what the campaign makes: ``harness fuzz``, which .ci/run calls, tries the whole enumeration and 600 shapes.


def test_ours_survives_every_cut_and_every_end() -> None:
    reader = Readers((WireReader(),))
    examples = [example for example in CAMPAIGN.enumerated() if not example.sdk and example.wire == "gemini-generate"]
    assert len(examples) > 2000
    tried = examples[::4]
    assert sum(CAMPAIGN.check(example, reader) for example in tried) == len(tried)


class _ForgetsTheCr(SseParser):
    def feed(self, chunk: bytes) -> Any:
        self._after_cr = False
        return super().feed(chunk)


class _DecodesChunks(SseParser):
    def feed(self, chunk: bytes) -> Any:
        return super().feed(chunk.decode("utf-8", "replace").encode())


@pytest.mark.parametrize("broken", [_ForgetsTheCr, _DecodesChunks])
def test_a_broken_parser_of_events_is_found(broken: type[SseParser], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.fuzz.stream.readers.SseParser", broken)
    reader = Readers((WireReader(),))
    example = StreamExample("anthropic-messages", TURN, ("CRLF", "many data lines"), sizes=(1,), sdk=False)
    with pytest.raises(Falsified) as found:
        CAMPAIGN.check(example, reader)
    assert found.value.oracle == "chunking"


def test_a_reader_of_frames_that_goes_on_behind_a_broken_one_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As it once was: what came in later pieces was read, and what came in the same one was not."""
    reader = type(wire("bedrock-converse").transport.reader())
    feed: Any = reader.feed

    def forgetful(self: Any, chunk: bytes) -> Any:
        found, broken = feed(self, chunk), self._is_broken
        self._is_broken, self._left = False, b"" if broken else self._left
        return found

    monkeypatch.setattr(reader, "feed", forgetful)
    example = StreamExample("bedrock-converse", TURN, fault=StreamFault("broken JSON", 3), sizes=(9, 15, 4), sdk=False)
    with pytest.raises(Falsified) as found:
        CAMPAIGN.check(example, Readers((WireReader(),)))
    assert found.value.oracle == "chunking"


@pytest.mark.parametrize("kind", ["cut", "error", "no end"])
def test_a_session_that_takes_a_broken_stream_of_frames_for_a_whole_one_is_found(
    kind: Any, ours: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.loop.sessions.bedrock_converse.reader import ConverseReader

    finish: Any = ConverseReader.finish

    def credulous(self: Any) -> Any:
        self._fold._complete = True
        return finish(self)

    monkeypatch.setattr(ConverseReader, "finish", credulous)
    monkeypatch.setattr("harness.loop.sessions.bedrock_converse.session.BROKEN", ())
    fault = StreamFault(kind, 700 if kind == "cut" else 3)
    with pytest.raises(Falsified) as found:
        CAMPAIGN.check(StreamExample("bedrock-converse", TURN, fault=fault), ours)
    assert found.value.oracle in ("completion", "raises")


@pytest.mark.parametrize("name", FUZZED)
@pytest.mark.parametrize(
    ("damage", "oracle"),
    [
        (lambda turn: replace(turn, assistant_text=turn.assistant_text[1:]), "agreement"),
        (lambda turn: replace(turn, stop=FinishReason.MAX_TOKENS), "agreement"),
        (lambda turn: replace(turn, tool_calls=()), "agreement"),
    ],
    ids=["text", "stop", "calls"],
)
def test_a_broken_session_is_found(
    name: Any, damage: Callable[[Any], Any], oracle: str, ours: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    from harness.fuzz.stream import sessions

    read = sessions._read
    monkeypatch.setattr(sessions, "_read", lambda turn, heard: read(damage(turn), heard))
    with pytest.raises(Falsified) as found:
        CAMPAIGN.check(StreamExample(name, TURN), ours)
    assert found.value.oracle == oracle


def test_what_is_told_live_is_held_against_the_end(ours: Readers, monkeypatch: pytest.MonkeyPatch) -> None:
    from harness.fuzz.stream import sessions

    told = sessions._emitted_parts
    monkeypatch.setattr(sessions, "_emitted_parts", lambda heard: replace(told(heard), text=""))
    with pytest.raises(Falsified) as found:
        CAMPAIGN.check(StreamExample("openai-chat", TURN), ours)
    assert found.value.oracle == "live"


@pytest.mark.parametrize("name", ["openai-responses", "openai-chat", "anthropic-messages", "gemini-generate"])
@pytest.mark.parametrize("member", ["text", "calls", "stop"])
def test_the_sdks_accumulation_is_asked_and_counts(
    name: Any, member: str, ours: Readers, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = ours.session
    assert session is not None
    example = StreamExample(name, TURN)
    accumulated = session.accumulated(name, delivered(example))
    change: dict[str, Any] = {member: {"text": "other", "calls": (), "stop": "other"}[member]}
    other = replace(accumulated, **change)
    monkeypatch.setattr(type(session), "accumulated", lambda *_: other)
    with pytest.raises(Falsified) as found:
        CAMPAIGN.check(example, ours)
    assert found.value.oracle == "sdk"


def test_halves_of_a_character_in_two_parts_may_meet_or_not(ours: Readers) -> None:
    apart = Turn((Text("\ud83d"), Refusal("\ude00")))
    assert all(CAMPAIGN.check(StreamExample(name, apart), ours) == 2 for name in FUZZED)


def test_the_sdks_accumulate_nearly_everything(ours: Readers) -> None:
    from harness.fuzz.stream.accumulation import NoAccumulation

    session = ours.session
    assert session is not None
    done = failed = 0
    for example in drawn(CAMPAIGN, 200, seed=1)[1::2]:
        if (
            session.takes(example)
            and session.is_accumulated(example)
            and example.turn.stop is not FinishReason.MAX_TOKENS
        ):
            try:
                done += session.accumulated(example.wire, delivered(example)).complete
            except NoAccumulation:
                failed += 1
    assert done > 20
    assert failed < done / 5


# --- examples -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FUZZED)
def test_every_spelling_says_what_the_plain_one_says(name: Any) -> None:
    plain = sent(StreamExample(name, TURN))
    for variation in DIALECTS[name].legal:
        varied = sent(StreamExample(name, TURN, (variation,)))
        assert wire(name).parse(varied.content_type, varied.body).turn == plain.rendered.reply.turn, variation


def test_an_error_behind_the_first_event_has_no_byte_order_mark_of_its_own() -> None:
    broken = sent(StreamExample("openai-chat", TURN, ("BOM",), StreamFault("error", 2)))
    assert broken.body.startswith(b"\xef\xbb\xbf")
    assert broken.events[-1].startswith(b'data: {"error"')


@given(CAMPAIGN.examples())
@settings(generated, max_examples=60)
def test_shrinking_ends(example: StreamExample) -> None:
    steps = 0
    while (smaller := next(CAMPAIGN.smaller(example), None)) is not None:
        assert smaller != example
        example, steps = smaller, steps + 1
    assert steps < 200
    assert example == StreamExample(example.wire, replace(example.turn, parts=()), sdk=False)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"wire": "smoke-signals"}, "wire: expected one of openai-responses"),
        ({"parts": "none"}, "parts: expected list"),
        ({"parts": [{"part": "song"}]}, "part: expected one of text, thinking, call, refusal, got 'song'"),
        ({"parts": [{"part": "call", "name": 1}]}, "name: expected str, got 1"),
        ({"stop": "never"}, "stop: expected one of end"),
        ({"variations": ["event behind data"]}, "none that is legal on openai-chat"),
        ({"fault": {"kind": "cut", "at": -1}}, "at: expected a number from 0"),
        ({"fault": {"kind": "flood", "at": 1}}, "kind: expected one of cut"),
        ({"sizes": [0]}, "sizes: expected numbers from 1"),
        ({"sizes": [True]}, "sizes: expected a list of int"),
        ({"sdk": None}, "sdk: expected bool"),
    ],
)
def test_other_json_is_refused_with_a_reason(change: dict[str, Any], told: str) -> None:
    document = {**CAMPAIGN.to_json(StreamExample("openai-chat", TURN, fault=StreamFault("cut", 3))), **change}
    with pytest.raises(ValueError, match=told.replace("(", r"\(")):
        CAMPAIGN.from_json(document)
