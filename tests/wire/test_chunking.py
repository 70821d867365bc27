"""How response bytes are cut on their way."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.wire.chunking import CHUNKINGS, Chunking, by_lines, chunks
from harness.wire.sse import frame, parse_events

FRAMES = [
    frame({"text": "Crème 焼き 🥐", "escapes": 'line\nquote"back\\slash'}, "delta"),
    frame('{"pair": "\\ud83e\\udd50", "inner": "{\\"t\\": \\"\\\\n\\\\u00e9\\"}"}', "delta", end="\r\n"),
    b": keep-alive\n\n",
    b"id: 7\nretry: 100\ndata: [DONE]\r\r",
]
BODY = b"".join(FRAMES)

Cut = Callable[[Sequence[bytes], Chunking, int], list[bytes]]


def check(frames: Sequence[bytes], cut: Cut) -> None:
    for how in CHUNKINGS:
        pieces = cut(frames, how, 3)
        assert b"".join(pieces) == b"".join(frames)
        assert all(pieces), "no chunk is empty"
        assert cut(frames, how, 3) == pieces, "the same on every run"


def places(pieces: Sequence[bytes]) -> set[int]:
    """Where the body is cut."""
    return set(itertools.accumulate(map(len, pieces))) - {sum(map(len, pieces))}


def inside(body: bytes, found: bytes) -> set[int]:
    """Every place inside every occurrence of ``found``."""
    starts = [at for at in range(len(body)) if body.startswith(found, at)]
    return {start + offset for start in starts for offset in range(1, len(found))}


@given(st.lists(st.binary(max_size=20), max_size=5))
@settings(max_examples=150, deadline=None)
def test_joined_chunks_are_the_joined_frames(frames: list[bytes]) -> None:
    check(frames, chunks)


def test_joined_chunks_of_a_stream_and_of_nothing() -> None:
    check(FRAMES, chunks)
    assert [chunks([], how) for how in CHUNKINGS] == [[]] * len(CHUNKINGS)
    assert [chunks([b"", b""], how) for how in CHUNKINGS] == [[]] * len(CHUNKINGS)


def test_whole_event_and_byte() -> None:
    assert chunks(FRAMES, "whole") == [BODY]
    assert chunks([FRAMES[0], b"", FRAMES[1]], "event") == FRAMES[:2]
    assert chunks(FRAMES, "byte") == [bytes([byte]) for byte in BODY]


def test_event_hands_the_frames_on_without_copying() -> None:
    assert all(piece is given for piece, given in zip(chunks(FRAMES, "event"), FRAMES, strict=True))


def test_tokens_are_small_and_whole_characters() -> None:
    pieces = chunks(FRAMES[:2], "token")
    assert len(pieces) > 60
    assert all(len(piece) <= 7 for piece in pieces)
    assert all(piece.decode() for piece in pieces), "each piece is UTF-8 by itself"


# What a reader may take for indivisible, and where it is cut.
HAZARDS: dict[str, set[int]] = {
    "UTF-8, two bytes": inside(BODY, "è".encode()),
    "UTF-8, three bytes": inside(BODY, "焼".encode()),
    "UTF-8, four bytes": inside(BODY, "🥐".encode()),
    "short escapes": inside(BODY, rb"\n") | inside(BODY, rb"\""),
    "an escaped backslash": inside(BODY, rb"\\"),
    "escaped escapes": inside(BODY, rb"\\n") | inside(BODY, rb"\\u00e9"),
    "half an escape, and between two halves": inside(BODY, rb"\ud83e\udd50"),
    "CRLF": inside(BODY, b"\r\n"),
    "the blank line": inside(BODY, b"\n\n") | inside(BODY, b"\r\n\r\n") | inside(BODY, b"\r\r"),
    "data:": inside(BODY, b"\ndata: ") | inside(BODY, b"\rdata: "),
    "event:": inside(BODY, b"event: "),
    "id: and retry:": inside(BODY, b"id: ") | inside(BODY, b"retry: "),
    "comments": inside(BODY, b"\n: "),
}


@pytest.mark.parametrize("hazard", HAZARDS)
def test_adversarial_cuts_inside(hazard: str) -> None:
    assert HAZARDS[hazard], "the sample has it"
    assert HAZARDS[hazard] <= places(chunks(FRAMES, "adversarial"))


def test_adversarial_leaves_plain_text_in_one_piece() -> None:
    assert b" {text: plain words}\n" in chunks([b"data: {text: plain words}\n\n"], "adversarial")


def test_random_is_the_seed_and_mostly_short() -> None:
    body = [b"x" * 20_000]
    first, second = chunks(body, "random", 1), chunks(body, "random", 2)
    assert first != second
    assert chunks(body, "random", 1) == first
    sizes = sorted(map(len, first))
    assert sizes[0] == 1
    assert 128 < sizes[-1] <= 512
    assert sizes[len(sizes) // 2] < 16


def test_random_cuts_everywhere_in_time() -> None:
    found: set[int] = set()
    for seed in range(500):
        found |= places(chunks(FRAMES, "random", seed))
    assert found == set(range(1, len(BODY)))


def test_only_random_looks_at_the_seed() -> None:
    for how in CHUNKINGS:
        assert (chunks(FRAMES, how, 1) == chunks(FRAMES, how, 2)) == (how != "random")


@pytest.mark.parametrize("how", CHUNKINGS)
def test_provider_streams_say_the_same_however_they_are_cut(shared: Path, how: Chunking) -> None:
    for path in sorted((shared / "wire" / "examples").glob("*.sse")):
        body = path.read_bytes()
        frames = [part + b"\n\n" for part in body.split(b"\n\n")]
        assert b"".join(chunks(frames, how)) == b"".join(frames)
        assert list(parse_events(b"".join(chunks(frames, how)))) == list(parse_events(b"".join(frames))), path.name


# --- broken ways to cut are caught --------------------------------------------------------------------------------


def loses_the_end(frames: Sequence[bytes], how: Chunking, seed: int) -> list[bytes]:
    pieces = chunks(frames, how, seed)
    return pieces[:-1] if how == "random" else pieces


def leaves_empty_chunks(frames: Sequence[bytes], how: Chunking, seed: int) -> list[bytes]:
    return [*chunks(frames, how, seed), b""]


def counts_its_calls(frames: Sequence[bytes], how: Chunking, seed: int, calls: list[int] = []) -> list[bytes]:  # noqa: B006
    calls.append(seed)
    return chunks(frames, how, len(calls))


@pytest.mark.parametrize("mutant", [loses_the_end, leaves_empty_chunks, counts_its_calls])
def test_a_broken_cut_is_caught(mutant: Cut) -> None:
    with pytest.raises(AssertionError):
        check(FRAMES, mutant)


@pytest.mark.parametrize("how", ["whole", "event", "token"])
def test_a_tame_cut_is_not_adversarial(how: Chunking) -> None:
    assert not all(hazard <= places(chunks(FRAMES, how)) for hazard in HAZARDS.values())


@pytest.mark.parametrize("how", CHUNKINGS)
@pytest.mark.parametrize("rest", [b"", b"data: without an end"])
def test_a_group_of_pieces_ends_where_a_line_ends(how: Chunking, rest: bytes) -> None:
    pieces = chunks([*FRAMES, rest], how, seed=3)
    groups = [list(group) for group in by_lines(pieces)]
    assert list(itertools.chain(*groups)) == pieces
    assert all(_ends_a_line(group[-1]) for group in groups[:-1])
    assert not any(_ends_a_line(piece) for group in groups for piece in group[:-1])


def test_no_pieces_are_no_groups() -> None:
    assert by_lines([]) == []


def _ends_a_line(piece: bytes) -> bool:
    return b"\n" in piece or b"\r" in piece
