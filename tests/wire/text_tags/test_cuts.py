"""However the text is cut, the same is told and found; nothing is told that later text takes back."""

from __future__ import annotations

import pytest

from harness.wire.text_tags import TextTags
from harness.wire.text_tags.tags import Tag
from tests.wire.text_tags.reading import NASTY, read


@pytest.mark.parametrize("name", NASTY)
def test_every_cut_in_two(name: str) -> None:
    text = NASTY[name]
    whole = read(text)
    for at in range(1, len(text)):
        assert read(text[:at], text[at:]) == whole, (text[:at], text[at:])


@pytest.mark.parametrize("tag", Tag)
def test_no_part_of_a_tag_is_told(tag: Tag) -> None:
    """Up to its last character a tag may be text, so nothing of it is told; then it is the tag, and still is not."""
    for end in range(1, len(tag)):
        parser = TextTags()
        told = parser.feed("Say" + tag[:end])
        assert told == [("text", "Say")]
        told += parser.feed("!") + parser.end()
        assert "".join(piece for what, piece in told if what == "text") == f"Say{tag[:end]}!"
    parser = TextTags()
    told = [each for character in f"Say{tag}" for each in parser.feed(character)]
    shown = [(what, piece) for what, piece in told if what in ("text", "thinking")]
    lone_end = tag is Tag.THINK_END  # some templates open the thinking themselves: it stays, whole
    assert shown == [("text", piece) for piece in ["S", "a", "y", *([tag] if lone_end else [])]]


def test_half_a_character_is_never_told() -> None:
    parser = TextTags()
    assert parser.feed("a\ud83d") == [("text", "a")]
    assert parser.feed("\ude00") == [("text", "😀")]
    assert parser.feed("\ud83d") == []
    assert parser.end() == [("text", "\ufffd")]
