"""The SSE parser against the WHATWG text, the decoders of the official SDKs, and recorded streams."""

from __future__ import annotations

import base64
import gzip
import json
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.wire.chunking import CHUNKINGS, chunks
from harness.wire.sse import SseEvent, SseParser, frame, parse_events
from tests.sdks import genai
from tests.wire.sse_decoders import DECODERS, Events

A = ("message", '{"a": 1}')
B = ("message", '{"b": 2}')
BOM = b"\xef\xbb\xbf"

# Name -> body, what the WHATWG text says (and we read), and who reads it otherwise: events, or the error raised.
# google-genai is no SSE parser: it takes lines that begin with "data: " and reads everything else as JSON.
NOT_SSE: dict[str, Any] = {"google-genai": lambda: genai.errors.UnknownApiResponseError}
READINGS: dict[str, tuple[bytes, Events, dict[str, Events | Callable[[], type[Exception]]]]] = {
    "plain": (b'data: {"a": 1}\n\n', [A], {}),
    "CRLF": (b'data: {"a": 1}\r\n\r\n', [A], {}),
    "CR": (b'data: {"a": 1}\r\r', [A], {}),
    "mixed line ends": (b'data: {"a": 1}\r\n\ndata: {"b": 2}\n\r\n', [A, B], {}),
    "more blank lines": (b'\n\n\ndata: {"a": 1}\n\n\n\n', [A], {}),
    "two data lines": (b'data: {"a":\ndata: 1}\n\n', [("message", '{"a":\n1}')], {"google-genai": [A]}),
    "U+2028 and U+0085 end no line": (
        'data: "\u2028\x85"\n\n'.encode(),
        [("message", '"\u2028\x85"')],
        {"google-genai": [("message", '"\\u2028\\u0085"')]},
    ),
    "two spaces, one is text": (b'data:  {"a": 1}\n\n', [("message", ' {"a": 1}')], {"google-genai": [A]}),
    "no space": (b'data:{"a": 1}\n\n', [A], NOT_SSE),
    "comment": (b': ping\n\ndata: {"a": 1}\n\n', [A], NOT_SSE),
    "comment inside an event": (b'data: {"a":\n: ping\ndata: 1}\n\n', [("message", '{"a":\n1}')], NOT_SSE),
    "event name": (b'event: x\ndata: {"a": 1}\n\n', [("x", A[1])], NOT_SSE),
    "empty event name": (b'event:\ndata: {"a": 1}\n\n', [A], NOT_SSE),
    "id": (b'id: 7\ndata: {"a": 1}\n\n', [A], NOT_SSE),
    "retry": (b'retry: 10\ndata: {"a": 1}\n\n', [A], NOT_SSE),
    "unknown field": (b'note: x\ndata: {"a": 1}\n\n', [A], NOT_SSE),
    "field names have one case": (b'Data: {"a": 1}\n\n', [], NOT_SSE),
    "a space before the field": (b' data: {"a": 1}\n\n', [], NOT_SSE),
    "[DONE]": (b'data: {"a": 1}\n\ndata: [DONE]\n\n', [A, ("message", "[DONE]")], NOT_SSE),
    "data without a colon": (b'data\n\ndata: {"a": 1}\n\n', [("message", ""), A], NOT_SSE),
    "empty data": (b'data:\n\ndata: {"a": 1}\n\n', [("message", ""), A], NOT_SSE),
    "BOM": (
        BOM + b'data: {"a": 1}\n\ndata: {"b": 2}\n\n',
        [A, B],
        {"openai": [B], "anthropic": [B], "httpx2": [B], **NOT_SSE},
    ),
    "event without data": (
        b'event: x\n\ndata: {"a": 1}\n\n',
        [A],
        {"openai": [("x", ""), A], "anthropic": [("x", ""), A], "httpx2": [("x", ""), A], **NOT_SSE},
    ),
    "id without data": (
        b'id: 7\n\ndata: {"a": 1}\n\n',
        [A],
        {name: [("message", ""), A] for name in ("openai", "anthropic", "httpx2")} | NOT_SSE,
    ),
    "retry without data": (
        b'retry: 7\n\ndata: {"a": 1}\n\n',
        [A],
        {name: [("message", ""), A] for name in ("openai", "anthropic", "httpx2")} | NOT_SSE,
    ),
    "not UTF-8": (
        b'data: "\xff"\n\n',
        [("message", '"\ufffd"')],
        {
            "openai": lambda: UnicodeDecodeError,
            "anthropic": lambda: UnicodeDecodeError,
            "google-genai": [("message", '"\\ufffd"')],
        },
    ),
    "last event without its blank line": (
        b'data: {"a": 1}\n\ndata: {"b": 2}\n',
        [A],
        {"google-genai": [A, B]},
    ),
    "last event without its line end": (
        b'data: {"a": 1}\n\ndata: {"b": 2}',
        [A],
        {"google-genai": [A, B]},
    ),
    "an error body that is no stream": (
        b'{"error": {"code": 503}}',
        [],
        {"google-genai": [("message", '{"error": {"code": 503}}')]},
    ),
}


def ours(pieces: Sequence[bytes]) -> Events:
    return [(event.event, event.data) for event in events(SseParser(), pieces)]


def events(parser: SseParser, pieces: Sequence[bytes]) -> list[SseEvent]:
    return [event for piece in pieces for event in parser.feed(piece)]


def every_cut(body: bytes) -> Iterator[list[bytes]]:
    for at in range(len(body) + 1):
        yield [body[:at], body[at:]]
    for size in range(1, len(body) + 1):
        yield [body[at : at + size] for at in range(0, len(body), size)]


# --- the WHATWG text, and who departs from it -------------------------------------------------------------------


@pytest.mark.parametrize("name", READINGS)
def test_we_read_what_the_whatwg_text_says_over_every_cut(name: str) -> None:
    body, expected, _ = READINGS[name]
    for pieces in every_cut(body):
        assert ours(pieces) == expected, pieces


@pytest.mark.parametrize("decoder", DECODERS)
@pytest.mark.parametrize("name", READINGS)
def test_where_the_sdks_agree_and_where_they_do_not(name: str, decoder: str) -> None:
    body, whatwg, others = READINGS[name]
    expected = others.get(decoder, whatwg)
    for pieces in ([body], [body[at : at + 1] for at in range(len(body))]):
        if isinstance(expected, list):
            assert DECODERS[decoder](pieces) == expected
        else:
            with pytest.raises(expected()):
                DECODERS[decoder](pieces)


def test_an_id_stays_until_the_next_and_holds_no_nul() -> None:
    body = b"id: 7\ndata: a\n\ndata: b\n\nid: 8\0\ndata: c\n\nid\ndata: d\n\n"
    assert [(event.id, event.data) for event in parse_events(body)] == [("7", "a"), ("7", "b"), ("7", "c"), ("", "d")]


def test_an_empty_chunk_changes_nothing() -> None:
    parser = SseParser()
    assert [event.data for event in events(parser, [b"data: a\r", b"", b"\ndata: b\r", b"", b"\n\r\n"])] == ["a\nb"]
    assert parser.feed(b"") == []
    assert parser._tail == []


def test_only_the_first_bom_is_ignored() -> None:
    assert ours([BOM + BOM + b"data: a\n\ndata: b\n\n"]) == [("message", "b")]
    assert ours([b"data: a\n\n" + BOM + b"data: b\n\n"]) == [("message", "a")]


LINES = [
    b"data: a",
    b"data:b",
    b"data",
    b"event: x",
    b"event",
    b": note",
    b"id: 1",
    "data: é😀".encode(),
    b"data: \xff",
]
lines = st.lists(st.tuples(st.sampled_from([*LINES, b"", b""]), st.sampled_from([b"\n", b"\r", b"\r\n"])), max_size=12)


@given(lines, st.sampled_from(CHUNKINGS), st.integers(0, 3))
@example([(b"data: a", b"\r"), (b"", b"\n")], "byte", 0)
@settings(max_examples=200, deadline=None)
def test_any_stream_in_any_pieces_reads_as_a_whole(parts: list[tuple[bytes, bytes]], how: Any, seed: int) -> None:
    body = b"".join(line + end for line, end in parts)
    assert ours(chunks([body], how, seed)) == ours([body]) == reference(body)


def reference(body: bytes) -> Events:
    """The WHATWG text again, by way of whole text and no state between pieces."""
    text = body.decode("utf-8", "replace")
    found = []
    blocks = re.split(r"(?:^|(?<=\n))\n", text.replace("\r\n", "\n").replace("\r", "\n"))
    for block in blocks[:-1]:
        fields = [re.fullmatch(r"(data|event)(?:: ?(.*))?", line, re.DOTALL) for line in block.split("\n")]
        named = [(field[1], field[2] or "") for field in fields if field]
        data = [value for name, value in named if name == "data"]
        if data:
            found.append(([value for name, value in named if name == "event"][-1:] or [""])[0] or "message")
            found.append("\n".join(data))
    return list(zip(found[::2], found[1::2], strict=True))


# --- recorded streams ---------------------------------------------------------------------------------------------

APIS = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "anthropic-messages": "anthropic",
    "gemini-generateContent": "google-genai",
}
AT_LEAST = {"openai-chat": 300, "openai-responses": 200, "anthropic-messages": 100, "gemini-generateContent": 100}


@pytest.fixture(scope="module")
def recorded(shared: Path) -> dict[str, list[bytes]]:
    """The streamed bodies per API."""
    found: dict[str, list[bytes]] = {api: [] for api in APIS}
    with gzip.open(shared / "corpus" / "exchanges.jsonl.gz", "rt", encoding="utf-8") as source:
        for line in source:
            exchange = json.loads(line)
            body = (exchange["response"] or {}).get("body") or {}
            data = base64.b64decode(body["base64"]) if "base64" in body else body.get("text", "").encode()
            if data.lstrip()[:1] not in (b"{", b"[") and re.search(rb"^(?:data|event):", data, re.MULTILINE):
                found[exchange["api"]].append(data)
    return found


@pytest.mark.sampled(4)
@pytest.mark.parametrize("api", APIS)
def test_recorded_streams_read_as_the_sdk_reads_them(recorded: dict[str, list[bytes]], api: str) -> None:
    decode = DECODERS[APIS[api]]
    assert len(recorded[api]) >= AT_LEAST[api]
    for number, body in enumerate(recorded[api]):
        whole = ours([body])
        assert comparable(api, whole + unended(api, body)) == decode([body]), number
        assert decode(chunks([body], "random", number)) == decode([body]), "the SDK does not care for cuts"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("api", APIS)
def test_recorded_streams_read_alike_in_any_pieces(recorded: dict[str, list[bytes]], api: str) -> None:
    """Each in one of four ways."""
    for number, body in enumerate(recorded[api]):
        whole = ours([body])
        lf = body.replace(b"\r\n", b"\n")
        pieces = (
            chunks([body], "adversarial"),
            chunks([body], "random", number),
            chunks([lf.replace(b"\n", b"\r\n")], "random", number),
            chunks([lf.replace(b"\n", b"\r")], "random", number),
        )
        assert ours(pieces[number % 4]) == whole, number


def comparable(api: str, found: Events) -> Events:
    return [("message", json.dumps(json.loads(data))) for _, data in found] if api.startswith("gemini") else found


def unended(api: str, body: bytes) -> Events:
    """google-genai also hands out a last event that lacks its blank line."""
    return ours([body + b"\n\n"])[len(ours([body])) :] if api.startswith("gemini") else []


# --- linear work ----------------------------------------------------------------------------------------------------


def check_tail_is_not_copied(parser: SseParser, line: bytes) -> None:
    """A line that has not ended waits in the pieces in which it came: joining at every piece would be quadratic."""
    pieces = [bytes([byte]) for byte in line]
    for piece in pieces:
        assert parser.feed(piece) == []
    assert parser._tail == pieces
    assert [event.data for event in parser.feed(b"\n\n")] == [line.removeprefix(b"data: ").decode()]
    assert parser._tail == []


def calls(body: bytes, size: int) -> int:
    made = 0

    def count(frame: Any, kind: str, argument: Any) -> None:
        nonlocal made
        made += kind in ("call", "c_call")

    parser = SseParser()
    sys.setprofile(count)
    try:
        for at in range(0, len(body), size):
            parser.feed(body[at : at + size])
    finally:
        sys.setprofile(None)
    return made


def test_a_long_line_in_single_bytes_is_joined_once() -> None:
    check_tail_is_not_copied(SseParser(), b"data: " + b"x" * 5000)


class JoinsEveryTime(SseParser):
    def feed(self, chunk: bytes) -> list[SseEvent]:
        found = super().feed(chunk)
        self._tail = [b"".join(self._tail)]
        return found


def test_a_parser_that_joins_every_time_is_caught() -> None:
    assert ours([b"data: x\n\n"]) == [(event.event, event.data) for event in JoinsEveryTime().feed(b"data: x\n\n")]
    with pytest.raises(AssertionError):
        check_tail_is_not_copied(JoinsEveryTime(), b"data: " + b"x" * 5000)


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize("unit", [b"data: x\n\n", b"\r\n", b"\r", b": c\n", b"data: x\n", b"x"])
def test_steps_grow_with_the_stream(unit: bytes, size: int) -> None:
    assert calls(unit * 800, size) <= 2.1 * calls(unit * 400, size)


# --- broken parsers are caught ----------------------------------------------------------------------------------------


class ForgetsTheCr(SseParser):
    """Ends a second line when a CRLF is cut in two."""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        self._after_cr = False
        return super().feed(chunk)


class DecodesChunks(SseParser):
    """Decodes before the line is whole, so a UTF-8 sequence that is cut in two is lost."""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        return super().feed(chunk.decode("utf-8", "replace").encode())


class SplitsAtUnicode(SseParser):
    """Ends lines where str.splitlines does."""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        return super().feed(chunk.replace("\u2028".encode(), b"\n"))


class StripsSpaces(SseParser):
    """Strips spaces, as careless readers do."""

    def _line(self, raw: bytes) -> SseEvent | None:
        return super()._line(raw.replace(b":  ", b": "))


@pytest.mark.parametrize("mutant", [ForgetsTheCr, DecodesChunks, SplitsAtUnicode, StripsSpaces])
def test_a_broken_parser_is_caught(mutant: Callable[[], SseParser]) -> None:
    readings = [(body, expected) for body, expected, _ in READINGS.values()]
    readings.append(("data: é😀\r\ndata: b\r\n\r\n".encode(), [("message", "é😀\nb")]))
    assert any(
        [(event.event, event.data) for event in events(mutant(), pieces)] != expected
        for body, expected in readings
        for pieces in every_cut(body)
    )
    assert all(ours(pieces) == expected for body, expected in readings for pieces in every_cut(body))


# --- the writer -------------------------------------------------------------------------------------------------------


def test_frames_as_providers_write_them() -> None:
    assert frame({"a": "é", "b": [1]}) == 'data: {"a":"é","b":[1]}\n\n'.encode()
    assert frame({"type": "x"}, "x") == b'event: x\ndata: {"type":"x"}\n\n'
    assert frame("[DONE]") == b"data: [DONE]\n\n"
    assert frame({"a": 1}, "x", end="\r\n") == b'event: x\r\ndata: {"a":1}\r\n\r\n'
    assert frame("two\nlines") == b"data: two\ndata: lines\n\n"


def test_lone_surrogates_go_out_as_escapes() -> None:
    assert frame({"a": "é\ud83d"}) == 'data: {"a":"é\\ud83d"}\n\n'.encode()
    assert frame('{"a":"\ude00"}') == b'data: {"a":"\\ude00"}\n\n'


json_ = st.recursive(st.none() | st.integers() | st.text(st.characters(), max_size=8), st.lists, max_leaves=5)


@given(json_, st.sampled_from([None, "x", "response.created"]), st.sampled_from(["\n", "\r\n", "\r"]))
@settings(max_examples=150, deadline=None)
def test_what_is_written_is_read_again(value: Any, event: str | None, end: str) -> None:
    (found,) = parse_events(frame(value, event, end=end))
    assert found.event == (event or "message")
    if isinstance(value, str):  # goes out as it is
        assert found.data == escaped(re.sub(r"\r\n|\r", "\n", value))
    else:
        assert json.loads(found.data) == value


def escaped(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()
