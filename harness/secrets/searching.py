"""Secrets in a text, also inside encodings: escapes at any depth, percent-encoding, base64 and others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from harness.secrets.base64_text import decoded_runs as base64_runs
from harness.secrets.base64_text import in_lines, runs
from harness.secrets.decoded_run import DecodedRun
from harness.secrets.edits import Edit, applied, merged
from harness.secrets.finder import Finder
from harness.secrets.hex_text import decoded_runs as hex_runs
from harness.secrets.shape import long_words
from harness.secrets.views import (
    View,
    entities_decoded,
    form_decoded,
    percent_decoded,
    unescaped,
    without_invisible,
)

_DEEPEST = 6
"""The most encodings that are taken off: arguments of a call in a body that a body quotes have four."""

_WITH_PERCENT = re.compile(r"(?<![^\s\"'<>\\])[^\s\"'<>\\%]*+%[^\s\"'<>\\]*+")
"""A word with a percent sign. A match begins at the start of a word, so that each word is read once."""

_VIEWS: Final[Sequence[Callable[[str], View | None]]] = (unescaped, entities_decoded, without_invisible)
"""The ways to read a whole text. After one of them, only the same and later ones are applied to its result."""


def secrets_in(text: str, finder: Finder, bars: Sequence[int] = ()) -> list[Edit]:
    """The edits that ``text`` needs, in order. No pattern of the user's may reach over ``bars``."""
    return _secrets_in(text, finder, bars, (), 0, 0)


def _secrets_in(
    text: str, finder: Finder, bars: Sequence[int], known: Sequence[Edit], depth: int, first_view: int
) -> list[Edit]:
    """``known`` are edits that the outer encoding has shown; views before ``first_view`` have been taken."""
    words = long_words(text)
    found = [*known, *finder.all(text, words, bars)]
    if depth < _DEEPEST:
        for number in range(first_view, len(_VIEWS)):
            if view := _VIEWS[number](text):
                found = _with_view(found, view, finder, bars, depth, number)
        found = _in_percents(found, text, finder, depth)
        if words:  # they have all that is coded in letters
            found = _in_lines(found, text, words, finder, depth)
            found += _in_base64(text, words, finder, depth)
            found += _in_decoded(hex_runs(text, words), finder, depth)
    return merged(found)


def _with_view(
    found: list[Edit], view: View, finder: Finder, bars: Sequence[int], depth: int, number: int
) -> list[Edit]:
    """The edits that the text and its view show.

    If the two differ, the view is right: after a line break, ``\\njane@`` is Jane's address and not Njane's. An edit
    that cuts an escape is narrowed to what the view shows; if the view shows nothing there, it is widened.
    """
    whole = [(edit, view.whole(edit.start, edit.end)) for edit in found]
    kept = [Edit(view.seen(a), view.seen(b), edit.replacement) for edit, (a, b) in whole if (a, b) == edit[:2]]
    seen = _secrets_in(view.text, finder, [view.seen(bar) for bar in bars], kept, depth + 1, number)
    result = [Edit(view.original(edit.start), view.original(edit.end), edit.replacement) for edit in seen]
    for edit, (start, end) in whole:
        if (start, end) != edit[:2] and not any(each.start < end and start < each.end for each in result):
            result.append(Edit(start, end, edit.replacement))
    return result


def _in_percents(found: list[Edit], text: str, finder: Finder, depth: int) -> list[Edit]:
    """The edits in words with percent-encoding. Few words have it, so each is looked at alone."""
    for word in _WITH_PERCENT.finditer(text) if _has_percents(text) else ():
        for view in filter(None, (percent_decoded(word[0]), form_decoded(word[0]))):
            start, end = word.span()
            inside = [edit for edit in found if start <= edit.start and edit.end <= end]
            found = [edit for edit in found if edit not in inside]
            inside = [edit._replace(start=edit.start - start, end=edit.end - start) for edit in inside]
            seen = _with_view(inside, view, finder, (), depth, 0)
            found += [edit._replace(start=edit.start + start, end=edit.end + start) for edit in seen]
    return found


def _has_percents(text: str) -> bool:
    """Whether a word may have percent-encoding: ``width: 100%`` has none."""
    return "%" in text and ("+" in text or percent_decoded(text) is not None)


def _in_lines(found: list[Edit], text: str, words: Sequence[re.Match[str]], finder: Finder, depth: int) -> list[Edit]:
    """Adds the edits in base64 that is broken into lines. They replace the edits that a single line has shown."""
    edits = list(_in_decoded(in_lines(text, words), finder, depth))
    if not edits:
        return found
    spans = [edit[:2] for edit in edits]
    return [each for each in found if not any(start <= each.start and each.end <= end for start, end in spans)] + edits


_MOST_HARMLESS: Final = 4096


def _in_base64(text: str, words: Sequence[re.Match[str]], finder: Finder, depth: int) -> Iterator[Edit]:
    """The edits in base64. Harmless runs are cached: names of members and events come thousands of times, and many ids,
    too."""
    harmless = set() if depth else finder.harmless
    for run in runs(text, words):
        if run[0] not in harmless:
            edits = list(_in_decoded(base64_runs(run, binary=finder.knows_values), finder, depth))
            yield from edits
            if not edits:
                if len(harmless) == _MOST_HARMLESS:
                    harmless.clear()
                harmless.add(run[0])


def _in_decoded(decoded: Iterable[DecodedRun], finder: Finder, depth: int) -> Iterator[Edit]:
    for read in decoded:
        text = read.text
        edits = _secrets_in(text, finder, (), (), depth + 1, 0) if read.is_text else merged(finder.values(text))
        if edits:
            yield Edit(read.start, read.end, read.again(applied(text, edits)))
