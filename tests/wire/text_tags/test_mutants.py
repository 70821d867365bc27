"""Parsers broken on purpose: each mistake that such parsers make is seen by the tests beside this file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from harness.wire.text_tags import TextTags, stream, tags
from harness.wire.text_tags.call import BlockReader
from harness.wire.text_tags.reader import Reader
from harness.wire.text_tags.repaired_json import RepairedJson
from tests.wire.text_tags import test_cuts, test_documents, test_properties
from tests.wire.text_tags.reading import NASTY, TAG_PAIRS

Break = Callable[[pytest.MonkeyPatch], None]


def tags_cut_strings(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(BlockReader, "in_string", False)


def an_open_string_swallows_what_follows(patch: pytest.MonkeyPatch) -> None:
    class Nothing(Reader):
        """A second reader that finds nothing."""

        def take(self, token: str) -> Reader:
            return self

    patch.setattr("harness.wire.text_tags.reader._reader_behind", lambda at, tag: Nothing(at))


def half_tags_are_shown(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(tags, "_end_of_decided", lambda text, at: len(text))


def no_calls_vanish(patch: pytest.MonkeyPatch) -> None:
    close = Reader._end_no_call

    def forget(self: Reader, end: int) -> None:
        close(self, end)
        self.calls.pop()

    patch.setattr(Reader, "_end_no_call", forget)


def half_calls_run(patch: pytest.MonkeyPatch) -> None:
    give_up = BlockReader.give_up

    def completed(self: BlockReader) -> object:
        told = give_up(self)
        assert self.call is not None
        self.call.pieces.append("}")
        self.call.problem = ""
        return told

    patch.setattr(BlockReader, "give_up", completed)


def thinking_is_text(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Reader, "_take_in_thinking", Reader._take_outside)


def escapes_are_cut(patch: pytest.MonkeyPatch) -> None:
    feed = RepairedJson.feed

    def forgetting(self: RepairedJson, text: str) -> object:
        self._held = ""
        return feed(self, text)

    patch.setattr(RepairedJson, "feed", forgetting)


def keys_stay_bare(patch: pytest.MonkeyPatch) -> None:
    take = RepairedJson._take
    patch.setattr(RepairedJson, "_take", lambda self, mark: self._fail("") if mark.isalpha() else take(self, mark))


def white_space_is_kept(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(stream.Trimmed, "push", lambda self, piece: piece)


def check_documents() -> None:
    for name in NASTY:
        test_documents.test_what_comes_of_it(name)
        test_documents.test_what_is_no_call_cannot_be_run(name)


def check_later_calls() -> None:
    lost = test_properties.test_a_call_is_never_lost_because_of_what_stands_before_it.hypothesis.inner_test
    for begun in ("<tool_call>", '<tool_call>{"name":"a","args":{"x":"'):
        lost(begun, ["</tool_call>", "x"], {"y": "</tool_call>"}, TAG_PAIRS[0])


def check_half_tags() -> None:
    for tag in tags.Tag:
        test_cuts.test_no_part_of_a_tag_is_told(tag)


def check_cuts() -> None:
    test_cuts.test_every_cut_in_two("escapes")


def check_thinking() -> None:
    test_properties.test_a_call_in_thinking_never_runs.hypothesis.inner_test(["a"])


MUTANTS: list[tuple[Break, Callable[[], None]]] = [
    (tags_cut_strings, check_documents),
    (an_open_string_swallows_what_follows, check_documents),
    (an_open_string_swallows_what_follows, check_later_calls),
    (half_tags_are_shown, check_half_tags),
    (no_calls_vanish, check_documents),
    (half_calls_run, check_documents),
    (thinking_is_text, check_thinking),
    (escapes_are_cut, check_cuts),
    (keys_stay_bare, check_documents),
    (white_space_is_kept, check_documents),
]


@pytest.mark.parametrize(("breaks", "check"), MUTANTS, ids=lambda part: part.__name__)
def test_a_broken_parser_is_caught(breaks: Break, check: Callable[[], None], monkeypatch: pytest.MonkeyPatch) -> None:
    check()
    breaks(monkeypatch)
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        check()


def test_a_shown_half_tag_looks_like_this(monkeypatch: pytest.MonkeyPatch) -> None:
    half_tags_are_shown(monkeypatch)
    assert TextTags().feed("Say<tool_c") == [("text", "Say<tool_c")]
