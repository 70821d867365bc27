"""Whatever the model writes: nothing is raised, no later call is lost, every cut is the same, the work is linear."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.fuzz.strategies.text_tags import TOKENS
from harness.fuzz.text_tags.documents import LONG_ONES
from harness.wire.characters import joined, sendable_value
from harness.wire.text_tags import TextTags
from harness.wire.text_tags.reader import Reader
from harness.wire.text_tags.repaired_json import RepairedJson
from harness.wire.text_tags.tags import Tag
from tests.wire.text_tags.reading import NASTY, TAG_PAIRS, read

OPEN_STRING = '{"name":"a","args":{"x":"'
PIECES = TOKENS
documents = st.lists(st.sampled_from(PIECES) | st.text(max_size=3), max_size=24).map("".join)
begun = st.sampled_from(["", *(pair[0] + inner for pair in TAG_PAIRS for inner in (OPEN_STRING, 'call:a{x:"', ""))])
without_thinking = st.lists(st.sampled_from([piece for piece in PIECES if "think" not in piece]), max_size=20)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.lists(st.sampled_from(PIECES), max_size=4).map("".join),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PIECES), inner, max_size=3),
    max_leaves=5,
)


@given(documents, st.binary(max_size=12))
@settings(max_examples=300, deadline=None)
def test_every_cut_of_anything_is_the_same(text: str, sizes: bytes) -> None:
    pieces, at = [], 0
    for size in sizes:
        pieces.append(text[at : at + size % 7])
        at += size % 7
    whole = read(text)
    assert read(*pieces, text[at:]) == whole
    assert read(*text) == whole


@given(documents)
@settings(max_examples=300, deadline=None)
def test_a_call_can_be_run_or_has_a_problem(text: str) -> None:
    outcome = read(text)
    for call in outcome.calls:
        assert outcome.arguments(call.id) == call.arguments
        assert call.name
        if call.problem:
            assert call.arguments.strip()
            assert not _is_object(call.arguments)
        else:
            json.loads(call.arguments)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


@given(
    begun, without_thinking, st.dictionaries(st.sampled_from(PIECES), values, max_size=3), st.sampled_from(TAG_PAIRS)
)
@settings(max_examples=300, deadline=None)
def test_a_call_is_never_lost_because_of_what_stands_before_it(
    begun: str, before: list[str], arguments: Any, tags: tuple[str, str]
) -> None:
    call = json.dumps({"name": "last", "args": arguments}, ensure_ascii=False)
    found = read(begun + "".join(before) + tags[0] + call + tags[1]).calls[-1]
    assert (found.name, found.problem) == ("last", "")
    assert sendable_value(json.loads(found.arguments)) == sendable_value(json.loads(joined(call)))["args"]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join).filter(lambda thought: Tag.THINK_END not in thought))
@settings(max_examples=200, deadline=None)
def test_a_call_in_thinking_never_runs(thought: str) -> None:
    outcome = read(f'<think>{thought}<tool_call>{{"name":"no"}}</tool_call></think>Yes.')
    assert outcome.calls == ()
    assert outcome.text == "Yes."


# --- linear work, without a clock ---------------------------------------------------------------------------


@contextmanager
def characters_counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Counts the characters that readers and JSON parsers are given."""
    counts: list[int] = []
    take, feed = Reader.take, RepairedJson.feed

    def counting_take(self: Reader, token: Tag | str) -> Reader:
        counts.append(len(token))
        return take(self, token)

    def counting_feed(self: RepairedJson, text: str) -> Any:
        counts.append(len(text))
        return feed(self, text)

    with monkeypatch.context() as patch:
        patch.setattr(Reader, "take", counting_take)
        patch.setattr(RepairedJson, "feed", counting_feed)
        yield counts


def steps(text: str, size: int) -> int:
    """Calls made, Python and C, while the text is read in pieces of ``size``."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    parser = TextTags()
    sys.setprofile(count)
    try:
        for at in range(0, len(text), size):
            parser.feed(text[at : at + size])
        parser.end()
    finally:
        sys.setprofile(None)
    assert parser.calls is not None
    return calls


def hard(times: int) -> dict[str, str]:
    ends = {"content": '"}}</tool_call>', "escapes": '"}}</tool_call>', "blanks": "b"}
    return {name: f"{first}{again * times}{ends.get(name, '')}" for name, (first, again) in LONG_ONES.items()}


@pytest.mark.sampled(5)
@pytest.mark.parametrize("size", [1, 7, 100_000])
@pytest.mark.parametrize("name", hard(1))
def test_work_is_linear(name: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text, longer = hard(30)[name], hard(120)[name]
    with characters_counted(monkeypatch) as counts:
        read(*(longer[at : at + size] for at in range(0, len(longer), size)))
    # Two readers, a JSON parser in each, and what is held back for a tag or an escape once more.
    assert sum(counts) <= 5 * len(longer)
    ratio = len(longer) / len(text)
    assert steps(longer, size) <= 1.1 * ratio * steps(text, size)


def test_there_are_never_more_than_two_readers(monkeypatch: pytest.MonkeyPatch) -> None:
    deepest = 0
    take = Reader.take

    def watching(self: Reader, token: Tag | str) -> Reader:
        nonlocal deepest
        reader = take(self, token)
        depth, each = 1, reader
        while each._second is not None:
            depth, each = depth + 1, each._second
        deepest = max(deepest, depth)
        return reader

    monkeypatch.setattr(Reader, "take", watching)
    for text in [*hard(20).values(), *NASTY.values()]:
        read(*text)
    assert deepest == 2
