"""Parsers broken on purpose, as such parsers are: the oracles of the campaign see each of these mistakes."""

from __future__ import annotations

import pytest

from harness.wire.text_tags import TextTags, tags
from harness.wire.text_tags.call import BlockReader
from harness.wire.text_tags.reader import Reader
from harness.wire.text_tags.repaired_json import RepairedJson


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


def test_a_shown_half_tag_looks_like_this(monkeypatch: pytest.MonkeyPatch) -> None:
    half_tags_are_shown(monkeypatch)
    assert TextTags().feed("Say<tool_c") == [("text", "Say<tool_c")]
