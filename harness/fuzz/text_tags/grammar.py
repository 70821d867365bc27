"""A second implementation of the grammar of calls in text: the content of an answer wherever it is beyond doubt.

It shares nothing with the parser but the tags. It reads a whole text with regular expressions and ``json.loads``, and
stops at a block that is no well-formed call, since from there on readers may differ. Of what stands behind such a place
it knows one thing: which call must not be lost.

    well-formed     {"name": NAME, "args": {...}}, other members ignored, ``args`` left out where there is nothing else;
                    or call:NAME{...}. Between two tags of a pair, outside of thinking.
    repaired        keys without quotes, commas before a closing bracket, control characters in strings
    a string's      a tag inside a string of a call
    thinking        from <think> to </think> or to the end of the text: no text for the user, and no call

Source: the design document "Hugind Tool Calling Flow"; ``docs/deviations.md`` says where this departs from it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NoReturn

from harness.wire.text_tags.tags import END_OF, Tag

TAG: Final = re.compile("|".join(map(re.escape, Tag)))
_STRING: Final = r'"(?:[^"\\]|\\.)*+"'
_INSIDE: Final = re.compile(rf'(?:{_STRING}|[^"<]|(?!{TAG.pattern})<)*+', re.DOTALL)
_NAME: Final = re.compile(r"[A-Za-z_][\w.-]*")
_COLON_FORM: Final = re.compile(rf"[ \t\n\r]*call:[ \t\n\r]*({_NAME.pattern})[ \t\n\r]*(?=\{{)")
_REPAIRED: Final = re.compile(
    rf"(?P<kept>{_STRING}|[{{\[][ \t\n\r]*,)|(?<!\w)(?P<key>[^\W\d]\w*)(?=[ \t\n\r]*:)|,(?=[ \t\n\r]*[}}\]])", re.DOTALL
)
_BEGINS: Final = re.compile("|".join(map(re.escape, END_OF)))


@dataclass(frozen=True, slots=True)
class Called:
    """A well-formed call; ``span`` is the place of its block."""

    name: str
    arguments: Mapping[str, Any]
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The content of a text. It is valid up to the place ``doubt``, or for all of the text if that is None.

    ``text`` is what the user is shown, with the white space around it; complete if ``text_is_whole``. ``calls`` are its
    calls, ``thought`` are the calls inside thinking.

    ``last`` is the call after ``doubt`` that no reader may lose: no other tag follows it, so nothing that began before
    it can end after it.
    """

    text: str
    text_is_whole: bool
    calls: tuple[Called, ...]
    thought: tuple[Called, ...]
    doubt: int | None
    last: Called | None


@lru_cache(maxsize=4096)
def parsed(text: str) -> ParsedText:
    """The content of ``text``."""
    shown: list[str] = []
    lone_end: int | None = None  # how much was shown before </think> stood alone: some show it, some do not
    calls: list[Called] = []
    thought: list[Called] = []
    doubt: int | None = None
    at = 0
    while doubt is None and (found := TAG.search(text, at)):
        shown.append(text[at : found.start()])
        tag, at = Tag(found[0]), found.end()
        if tag is Tag.THINK:
            end = text.find(Tag.THINK_END, at)
            thought += _anywhere(text[at:] if end < 0 else text[at:end])
            at = len(text) if end < 0 else end + len(Tag.THINK_END)
        elif tag is Tag.THINK_END and lone_end is None:
            lone_end = len(shown)
        elif tag in END_OF:
            call = _call(text, found.start())
            if call is None:
                doubt = found.start()
            else:
                calls.append(call)
                at = call.span[1]
    if doubt is None:
        shown.append(text[at:])
    return ParsedText(
        "".join(shown[:lone_end]),
        doubt is None and lone_end is None,
        tuple(calls),
        tuple(thought),
        doubt,
        None if doubt is None else _last(text, doubt),
    )


# --- one block ----------------------------------------------------------------------------------------------


def _call(text: str, start: int) -> Called | None:
    """The well-formed call whose begin tag is at ``start``: it ends with the next tag outside of its strings."""
    begin = TAG.match(text, start)
    inside = _INSIDE.match(text, begin.end()) if begin else None
    end = TAG.match(text, inside.end()) if inside else None
    if not (begin and inside and end and END_OF[Tag(begin[0])] == end[0]):
        return None
    named = name_and_arguments(inside[0])
    return Called(*named, (start, end.end())) if named else None


def name_and_arguments(inside: str) -> tuple[str, Mapping[str, Any]] | None:
    """Name and arguments between the tags of a well-formed call; None if it is none."""
    if colon := _COLON_FORM.match(inside):
        members = _object(inside[colon.end() :])
        return None if members is None else (colon[1], dict(members))
    members = _object(inside)
    if members is None:
        return None
    names = [key for key, _ in members]
    name, arguments = dict(members).get("name"), dict(members).get("args", {} if len(members) == 1 else None)
    once = names.count("name") == 1 and names.count("args") <= 1
    if not once or not isinstance(name, str) or not _NAME.fullmatch(name):
        return None
    return (name, arguments) if isinstance(arguments, dict) else None


def _object(text: str) -> list[tuple[str, Any]] | None:
    """The members of an object, repaired; None for anything else. A repeated member is listed each time."""
    outermost: list[tuple[str, Any]] = []

    def unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
        outermost[:] = members  # the outermost object ends last
        return dict(members)

    try:
        value = json.loads(
            _REPAIRED.sub(_replacement, text), strict=False, object_pairs_hook=unique, parse_constant=_no_constant
        )
    except (ValueError, RecursionError):
        return None
    return outermost if isinstance(value, dict) else None


def _replacement(found: re.Match[str]) -> str:
    return found["kept"] or (f'"{key}"' if (key := found["key"]) else "")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


# --- what thinking holds, and what stands behind a doubt ------------------------------------------------------


def _anywhere(text: str) -> Iterator[Called]:
    """Texts that look like a well-formed call, anywhere."""
    for found in _BEGINS.finditer(text):
        if call := _call(text, found.start()):
            yield call


def _last(text: str, doubt: int) -> Called | None:
    """The call after ``doubt`` that the last tag ends, if no thinking is open before it.

    No block that began before it can contain it in a string and still be JSON: its quotes would be unbalanced.
    """
    *_, last = TAG.finditer(text, doubt)
    for begin in _BEGINS.finditer(text, doubt):
        call = _call(text, begin.start())
        if call and call.span[1] == last.end():
            before = text[: begin.start()]
            return call if before.rfind(Tag.THINK) <= before.rfind(Tag.THINK_END) else None
    return None
