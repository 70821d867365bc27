"""Partial arguments against json.loads and jiter, over every cut; and proof that broken parsers are caught."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import jiter
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.fuzz.arguments.nasty import MALFORMED, NASTY, STRETCHED
from harness.fuzz.strategies.arguments import argument_texts
from harness.fuzz.strategies.malformed import malformed_arguments
from harness.fuzz.strategies.splits import pieces, sizes
from harness.loop import partial_arguments
from harness.loop.partial_arguments import PartialArguments

WATCH = ("path", "content")
Make = Callable[[], PartialArguments]

# --- what a run of the parser shows, and what it must show -------------------------------------------------


def joined(text: str) -> str:
    """Pairs joined, lone halves replaced: what a finished value must be, by way of another codec than ours."""
    return text.encode("utf-16-be", "surrogatepass").decode("utf-16-be", "replace")


def feed_all(parser: PartialArguments, deltas: Iterable[str]) -> dict[str, str]:
    """The shown text per key as a consumer sees it that only adds up pairs."""
    shown: dict[str, str] = {}
    for delta in deltas:
        for key, suffix in parser.feed(delta):
            shown[key] = shown[key] + suffix if suffix else ""
    return shown


def run(text: str, deltas: Iterable[str], make: Make) -> dict[str, str]:
    parser = make()
    shown = feed_all(parser, deltas)
    parsed = loads(text)
    if isinstance(parsed, dict):
        for key in WATCH:
            value = parsed.get(key)
            expected = joined(value) if isinstance(value, str) else None
            assert parser.value(key) == expected, "a finished value is what json.loads gives"
            assert parser.complete(key) == (expected is not None)
            if expected is not None:
                assert shown[key] == expected, "the pairs add up to the value"
    return shown


def loads(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


def cut_every(text: str, size: int) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def every_cut(text: str) -> Iterator[list[str]]:
    """All ways to cut the text in two, and into pieces of one size."""
    for at in range(len(text) + 1):
        yield [text[:at], text[at:]]
    for size in range(1, len(text) + 1):
        yield cut_every(text, size)


def check_cuts(text: str, make: Make) -> None:
    """However the text is cut, the same is shown, and it is right."""
    expected = run(text, [text], make)
    for deltas in every_cut(text):
        assert run(text, deltas, make) == expected, deltas


def check_growth(text: str, make: Make) -> None:
    """What is shown only grows, is what was promised, and never holds a surrogate."""
    parser = make()
    before: dict[str, str | None] = dict.fromkeys(WATCH)
    for character in text:
        restarted = {key for key, suffix in parser.feed(character) if not suffix}
        for key in WATCH:
            value, previous = parser.value(key), before[key]
            before[key] = value
            if value is None:
                continue
            assert value == joined(value), "never half a pair"
            assert previous is None or key in restarted or value.startswith(previous), "only grows"
            if key in restarted:
                assert value == ""


def times_named(text: str, key: str) -> int:
    """How often the key stands in front of a colon, however it is spelled."""
    return [loads(name) for name in re.findall(r'("(?:[^"\\]|\\.)*")\s*:', text)].count(key)


def check_jiter(text: str, make: Make) -> None:
    """The same as jiter shows, at every prefix that jiter accepts."""
    for end in range(1, len(text) + 1):
        try:
            expected = jiter.from_json(text[:end].encode(), partial_mode="trailing-strings")
        except (ValueError, UnicodeEncodeError):
            continue
        parser = make()
        parser.feed(text[:end])
        for key in WATCH:
            value = expected.get(key) if isinstance(expected, dict) else None
            shown = parser.value(key)
            if shown is None and times_named(text[:end], key) > 1:
                continue  # under a repeated key jiter keeps the old string until the other value is there
            assert shown == (value if isinstance(value, str) else None), text[:end]


def check_broken(text: str, make: Make) -> None:
    """Behind refused text nothing is shown; what was shown stays."""
    for deltas in every_cut(text):
        parser = make()
        shown = feed_all(parser, deltas)
        values = {key: parser.value(key) for key in WATCH if parser.value(key) is not None}
        assert values == shown
        assert parser.feed('"content": "more"}') == []


def reference() -> PartialArguments:
    return PartialArguments(watch=WATCH)


# --- the tests ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", NASTY)
def test_every_cut_shows_the_same_and_ends_as_json_loads(text: str) -> None:
    check_cuts(text, reference)


@pytest.mark.parametrize("text", NASTY)
def test_what_is_shown_only_grows(text: str) -> None:
    check_growth(text, reference)


@pytest.mark.parametrize("text", NASTY + MALFORMED)
def test_agrees_with_jiter_at_every_prefix(text: str) -> None:
    check_jiter(text, reference)


@pytest.mark.parametrize("text", MALFORMED)
def test_malformed_text_breaks_and_never_raises(text: str) -> None:
    check_broken(text, reference)


def test_pairs_are_suffixes_and_the_first_is_empty() -> None:
    parser = PartialArguments(watch=WATCH)
    assert parser.feed('{"path": "index.html", "con') == [("path", ""), ("path", "index.html")]
    assert parser.value("content") is None
    assert parser.feed('tent": "caf\\u00') == [("content", ""), ("content", "caf")]
    assert parser.feed("") == []
    assert parser.feed("e") == []
    assert parser.feed("9") == [("content", "é")]
    assert (parser.value("content"), parser.complete("content")) == ("café", False)
    assert parser.feed('"') == []
    assert parser.complete("content")
    assert parser.feed("}") == []
    assert parser.feed(', "content": "more"}') == []


def test_half_a_pair_waits_for_its_other_half() -> None:
    parser = PartialArguments(watch=["content"])
    assert parser.feed('{"content": "\ud83d') == [("content", "")]
    assert parser.feed("\ude00") == [("content", "😀")]
    assert parser.feed("\\ud83d\\") == []
    assert parser.feed("ude00") == [("content", "😀")]
    assert parser.feed("\\ud83d\\") == []
    assert parser.feed("n") == [("content", "\ufffd\n")]
    assert parser.feed("\ud83d") == []
    assert parser.feed('"') == [("content", "\ufffd")]


def test_a_repeated_key_begins_again() -> None:
    parser = PartialArguments(watch=["content"])
    assert parser.feed('{"content": "first", ') == [("content", ""), ("content", "first")]
    assert parser.feed('"content": "sec') == [("content", ""), ("content", "sec")]
    assert (parser.value("content"), parser.complete("content")) == ("sec", False)


def test_asking_for_a_key_that_is_not_watched_is_an_error() -> None:
    parser = PartialArguments(watch=["content"])
    with pytest.raises(KeyError):
        parser.value("path")


def test_a_watched_key_may_be_any_text() -> None:
    parser = PartialArguments(watch=["😀", 'a"b', ""])
    for delta in ('{"\ud83d', '\ude00": "raw", "a\\"', 'b": "quote", "": "empty"}'):
        parser.feed(delta)
    assert [parser.value(key) for key in ("😀", 'a"b', "")] == ["raw", "quote", "empty"]


def test_a_lone_half_in_a_key_is_not_the_replacement_character() -> None:
    parser = PartialArguments(watch=["\ufffd", "\ud83d"])
    parser.feed('{"\\ud83d": "half"}')
    assert (parser.value("\ufffd"), parser.value("\ud83d")) == (None, "half")


def test_nesting_needs_no_recursion() -> None:
    parser = PartialArguments(watch=["content"])
    depth = 50_000
    parser.feed('{"deep": ' + "[" * depth)
    parser.feed("]" * depth + ', "content": "x"}')
    assert parser.value("content") == "x"


# --- any text -----------------------------------------------------------------------------------------------


@given(argument_texts(), sizes())
@settings(max_examples=250, deadline=None)
def test_any_object_in_any_pieces(text: str, cuts: tuple[int, ...]) -> None:
    assert run(text, pieces(text, cuts), reference) == run(text, [text], reference)
    check_growth(text, reference)


@given(st.one_of(malformed_arguments(), argument_texts(), st.text(max_size=30)), sizes())
@example('{"content":"", "p\\u0061th":"a", "path":null}', ())
@settings(max_examples=250, deadline=None)
def test_any_text_at_all(text: str, cuts: tuple[int, ...]) -> None:
    assert run(text, pieces(text, cuts), reference) == run(text, [text], reference)
    check_jiter(text, reference)


# --- linear work, without a clock ---------------------------------------------------------------------------


def work(make: Make, text: str, size: int) -> int:
    """Calls made (Python and C) plus characters handed to a pattern, for the text in pieces of ``size``."""
    calls = 0

    def count(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    parser = make()
    scanned = _CountingPattern(partial_arguments._STRING)
    partial_arguments._STRING = scanned  # type: ignore[assignment]
    sys.setprofile(count)
    try:
        for delta in cut_every(text, size):
            parser.feed(delta)
    finally:
        sys.setprofile(None)
        partial_arguments._STRING = scanned.pattern
    return calls + scanned.characters


class _CountingPattern:
    def __init__(self, pattern: Any) -> None:
        self.pattern = pattern
        self.characters = 0

    def match(self, text: str, at: int) -> Any:
        found = self.pattern.match(text, at)
        self.characters += found.end() - at + 1
        return found


HARD = [head + middle * (2_000 // len(middle)) + tail for head, middle, tail in STRETCHED]


def double(text: str) -> str:
    """The document with a middle that is twice as long."""
    return text[:100] + text[100:-100] * 2 + text[-100:] if len(text) > 400 else text


@pytest.mark.sampled(5)
@pytest.mark.parametrize("size", [1, 4, 64])
@pytest.mark.parametrize("text", HARD, ids=range(len(HARD)))
def test_work_is_linear(text: str, size: int) -> None:
    assert work(reference, double(text), size) <= 2.1 * work(reference, text, size)
    assert work(reference, text, 1) <= 40 * len(text), "a bounded number of steps per character"


# --- proof: broken parsers are caught -------------------------------------------------------------------------


class ShowsHalfAPair(PartialArguments):
    """Shows a high surrogate at once, as a parser does that knows escapes but not pairs."""

    def _read_watched(self, text: str, at: int, pieces: list[str], grown: list[tuple[str, str]]) -> int:
        end = super()._read_watched(text, at, pieces, grown)
        if "\ud800" <= self._held[:1] <= "\udbff":
            pieces.append(self._held[0])
            grown.append((self._key, self._held[0]))
            self._held = self._held[1:]
        return end


class DropsHalfEscapes(PartialArguments):
    """Forgets what a delta left over."""

    def feed(self, delta: str) -> list[tuple[str, str]]:
        self._held = ""
        return super().feed(delta)


class SeesNestedKeys(PartialArguments):
    """Looks for keys at every depth."""

    def _mark(self, mark: str, grown: list[tuple[str, str]]) -> None:
        depth = len(self._containers)
        if mark in '"{[' and depth > 1:
            self._containers = ["{"]
            super()._mark(mark, grown)
            self._containers = ["{"] * (depth - 1) + self._containers
        else:
            super()._mark(mark, grown)


class KeepsTheFirstOfTwo(PartialArguments):
    """Ignores a repeated key."""

    def _begin_value(self, mark: str, grown: list[tuple[str, str]]) -> None:
        if self._shown.get(self._key) is not None:
            self._key = "\0"
        super()._begin_value(mark, grown)


class ReadsRawKeys(PartialArguments):
    """Compares keys before their escapes are decoded."""

    def _close_string(self) -> None:
        super()._close_string()
        if self._is_key:
            self._key = "".join(self._key_pieces)


class TakesAnything(PartialArguments):
    """Goes on with another object where no other one may be."""

    def _mark(self, mark: str, grown: list[tuple[str, str]]) -> None:
        super()._mark(mark, grown)
        if self._expect is partial_arguments._Expected.NOTHING:
            self._containers = ["{"]
            self._expect = partial_arguments._Expected.KEY


class ReparsesEverything(PartialArguments):
    """Right, and quadratic: begins from the start with every delta."""

    def feed(self, delta: str) -> list[tuple[str, str]]:
        self._text = getattr(self, "_text", "") + delta
        before = {key: self.value(key) for key in WATCH}
        super().__init__(WATCH)
        super().feed(self._text)
        pairs = []
        for key in WATCH:
            value, previous = self.value(key), before[key]
            if value is not None and value != previous:
                again = previous is None or not value.startswith(previous)
                pairs += [(key, "")] * again + [(key, value if again else value[len(previous or "") :])]
        return [pair for at, pair in enumerate(pairs) if pair[1] or pair not in pairs[:at]]


def caught(check: Callable[[str, Make], None], documents: list[str], mutant: type[PartialArguments]) -> bool:
    for text in documents:
        try:
            check(text, lambda: mutant(watch=WATCH))
        except (AssertionError, KeyError, IndexError, UnicodeError):
            return True
    return False


@pytest.mark.parametrize("mutant", [ShowsHalfAPair, DropsHalfEscapes])
def test_cuts_catch_what_is_forgotten_between_deltas(mutant: type[PartialArguments]) -> None:
    assert caught(check_cuts, NASTY, mutant)
    assert not caught(check_cuts, ['{"path": "index.html"}'], mutant)


@pytest.mark.parametrize("mutant", [SeesNestedKeys, KeepsTheFirstOfTwo, ReadsRawKeys])
def test_final_values_catch_wrong_keys(mutant: type[PartialArguments]) -> None:
    assert caught(check_cuts, NASTY, mutant)


@pytest.mark.parametrize("mutant", [ShowsHalfAPair])
def test_growth_catches_half_a_pair(mutant: type[PartialArguments]) -> None:
    assert caught(check_growth, NASTY, mutant)


@pytest.mark.parametrize("mutant", [SeesNestedKeys, ReadsRawKeys])
def test_jiter_catches_wrong_keys(mutant: type[PartialArguments]) -> None:
    assert caught(check_jiter, NASTY, mutant)


def test_malformed_text_catches_a_lenient_parser() -> None:
    assert caught(check_broken, MALFORMED, TakesAnything)


def test_the_step_count_catches_a_quadratic_parser() -> None:
    make = lambda: ReparsesEverything(watch=WATCH)  # noqa: E731
    text = HARD[1]
    assert not caught(check_cuts, ['{"content": "abc\\u00e9"}'], ReparsesEverything), "it is only slow"
    assert work(make, double(text), 4) > 3 * work(make, text, 4)
