"""Secrets in a text, in whatever it is wrapped there: escapes of JSON at any depth, percent-encoding, base64."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from harness.cassette.secrets.base64_text import encoded_texts, runs
from harness.cassette.secrets.edits import Edit, applied, merged
from harness.cassette.secrets.finder import Finder
from harness.cassette.secrets.views import View, percent_decoded, unescaped

__all__ = ["secrets_in"]

_DEEPEST = 6
"""How many wrappings are taken off: arguments of a call in a body that a body quotes have four."""

_WORD = re.compile(r"[^\s\"'<>\\]+")


def secrets_in(text: str, finder: Finder, bars: Sequence[int] = ()) -> list[Edit]:
    """What must be replaced in ``text``, in order. ``bars`` are where no pattern of the user's may reach over."""
    return _secrets_in(text, finder, bars, (), 0)


def _secrets_in(text: str, finder: Finder, bars: Sequence[int], known: Sequence[Edit], depth: int) -> list[Edit]:
    """``known`` is what a wrapping showed already."""
    found = [*known, *finder.values(text), *finder.shapes(text), *finder.patterns(text, bars)]
    if depth < _DEEPEST:
        if view := unescaped(text):
            found = _with_view(found, view, finder, bars, depth)
        found = _in_percents(found, text, finder, depth)
        found += _in_base64(text, finder, depth)
    return merged(found)


def _with_view(found: list[Edit], view: View, finder: Finder, bars: Sequence[int], depth: int) -> list[Edit]:
    """What the text and its view show.

    Where the two differ the view is right: after a line break, ``\\njane@`` is Jane's address and not Njane's. What
    cuts an escape is narrowed to what the view shows; if the view shows nothing there, it is widened.
    """
    whole = [(edit, view.whole(edit.start, edit.end)) for edit in found]
    kept = [Edit(view.seen(a), view.seen(b), edit.replacement) for edit, (a, b) in whole if (a, b) == edit[:2]]
    seen = _secrets_in(view.text, finder, [view.seen(bar) for bar in bars], kept, depth + 1)
    result = [Edit(view.original(edit.start), view.original(edit.end), edit.replacement) for edit in seen]
    for edit, (start, end) in whole:
        if (start, end) != edit[:2] and not any(each.start < end and start < each.end for each in result):
            result.append(Edit(start, end, edit.replacement))
    return result


def _in_percents(found: list[Edit], text: str, finder: Finder, depth: int) -> list[Edit]:
    """What the words of the text show that have percent-encoding: few have, so each is looked at alone."""
    for word in _WORD.finditer(text) if "%" in text else ():
        if view := percent_decoded(word[0]):
            start, end = word.span()
            inside = [edit for edit in found if start <= edit.start and edit.end <= end]
            found = [edit for edit in found if edit not in inside]
            inside = [edit._replace(start=edit.start - start, end=edit.end - start) for edit in inside]
            seen = _with_view(inside, view, finder, (), depth)
            found += [edit._replace(start=edit.start + start, end=edit.end + start) for edit in seen]
    return found


def _in_base64(text: str, finder: Finder, depth: int) -> Iterator[Edit]:
    harmless: set[str] = set()  # names of members and of events come thousands of times
    for run in runs(text):
        if run[0] not in harmless:
            edits = list(_in_run(run, finder, depth))
            yield from edits
            if not edits:
                harmless.add(run[0])


def _in_run(run: re.Match[str], finder: Finder, depth: int) -> Iterator[Edit]:
    for read in encoded_texts(run, binary=finder.knows_values):
        text = read.text
        edits = _secrets_in(text, finder, (), (), depth + 1) if read.is_text else merged(finder.values(text))
        if edits:
            yield Edit(read.start, read.end, read.again(applied(text, edits)))
