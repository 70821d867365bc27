"""Secrets in a text, in whatever it is wrapped there: escapes at any depth, percent-encoding, base64 and others."""

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
"""How many wrappings are taken off: arguments of a call in a body that a body quotes have four."""

_WITH_PERCENT = re.compile(r"(?<![^\s\"'<>\\])[^\s\"'<>\\%]*+%[^\s\"'<>\\]*+")
"""A word with a percent sign. The search begins where a word begins, so that each word is read once."""

_VIEWS: Final[Sequence[Callable[[str], View | None]]] = (unescaped, entities_decoded, without_invisible)
"""How a whole text may be read. What has been read in one way is read in the same and in those behind it."""


def secrets_in(text: str, finder: Finder, bars: Sequence[int] = ()) -> list[Edit]:
    """What must be replaced in ``text``, in order. ``bars`` are where no pattern of the user's may reach over."""
    return _secrets_in(text, finder, bars, (), 0, 0)


def _secrets_in(
    text: str, finder: Finder, bars: Sequence[int], known: Sequence[Edit], depth: int, first_view: int
) -> list[Edit]:
    """``known`` is what a wrapping showed already; views before ``first_view`` have been taken."""
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
    """What the text and its view show.

    Where the two differ the view is right: after a line break, ``\\njane@`` is Jane's address and not Njane's. What
    cuts an escape is narrowed to what the view shows; if the view shows nothing there, it is widened.
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
    """What the words of the text show that have percent-encoding: few have, so each is looked at alone."""
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
    """Whether a word may have percent-encoding: in ``width: 100%`` none has."""
    return "%" in text and ("+" in text or percent_decoded(text) is not None)


def _in_lines(found: list[Edit], text: str, words: Sequence[re.Match[str]], finder: Finder, depth: int) -> list[Edit]:
    """What base64 that is broken into lines stands for; what a line alone has shown of it is no more."""
    edits = list(_in_decoded(in_lines(text, words), finder, depth))
    if not edits:
        return found
    spans = [edit[:2] for edit in edits]
    return [each for each in found if not any(start <= each.start and each.end <= end for start, end in spans)] + edits


_MOST_HARMLESS: Final = 4096


def _in_base64(text: str, words: Sequence[re.Match[str]], finder: Finder, depth: int) -> Iterator[Edit]:
    """Names of members and of events come thousands of times in a text, and ids in many texts."""
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
