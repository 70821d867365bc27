r"""Known-bad parsers of arguments, for the campaign ``arguments``: each makes one mistake that was published.

All are ``show(deltas)`` of the campaign's signature: ``--target harness_lab.gallery.arguments:raw_keys`` fuzzes
one. Where the mistake was seen stands behind it as ``repository#number``; nothing is taken from there.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from harness.loop.partial_arguments import PartialArguments

Shown = dict[str, Any]

_KEYS: Final = ("content", "path")
_HALF_ESCAPE: Final = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")


# --- what they consist of -----------------------------------------------------------------------------------


def _anew(deltas: Iterable[str], parse: Callable[[str], Shown | None]) -> Iterator[Shown]:
    """The result of ``parse`` for all text so far, after every delta; if it has none, its last result."""
    text, shown = "", Shown()
    for delta in deltas:
        text += delta
        parsed = parse(text)
        shown = shown if parsed is None else parsed
        yield shown


def _strings(text: str) -> Shown:
    """The result of the reference loop's parser, which is right."""
    partial = PartialArguments(watch=_KEYS)
    partial.feed(text)
    return {key: text_read for key in _KEYS if (text_read := partial.value(key)) is not None}


def _closed(text: str) -> str:
    """``text`` with its open string and its open brackets closed, in their order."""
    closing, in_string, escaped = "", False, False
    for character in text:
        if in_string:
            in_string = escaped or character != '"'
            escaped = character == "\\" and not escaped
        elif character == '"':
            in_string = True
        elif character in "{[":
            closing = ("}" if character == "{" else "]") + closing
        elif character in "}]":
            closing = closing[1:]
    return text + '"' * in_string + closing


def _without_cut_escape(text: str) -> str:
    """``text`` without an escape that is cut at its end."""
    return _HALF_ESCAPE.sub(r"\1", text)


def _object(text: str, **options: Any) -> Shown | None:
    try:
        parsed = json.loads(text, **options)
    except ValueError:
        return None
    return parsed if isinstance(parsed, dict) else None


def _found(pattern: str, text: str) -> Shown:
    """The first group of the pattern, for both keys."""
    found = {key: re.search(pattern.replace("KEY", key), text, re.DOTALL) for key in _KEYS}
    return {key: match[1] for key, match in found.items() if match}


# --- searching instead of reading ---------------------------------------------------------------------------


def reparse_and_regex(deltas: Iterable[str]) -> Iterator[Shown]:
    """Tries ``JSON.parse`` on all of it, and searches for the value with a pattern while that fails.

    A value ends at the first quote, be it escaped, and is shown with its escapes: eclipse-theia/theia#17974.
    """
    return _anew(deltas, lambda text: _object(text) or _found(r'"KEY"\s*:\s*"([^"]*)', text))


def last_unescaped_quote(deltas: Iterable[str]) -> Iterator[Shown]:
    """Takes everything up to the last quote that is not escaped for the value: abi/screenshot-to-code, parsing.py."""
    return _anew(deltas, lambda text: _decoded(_found(r'"KEY"\s*:\s*"(.*(?<!\\)(?=")|.*)', text)))


def key_at_any_depth(deltas: Iterable[str]) -> Iterator[Shown]:
    """Takes the first occurrence of a key, however deep it is: eclipse-theia/theia#18026."""
    return _anew(deltas, lambda text: _decoded(_found(r'"KEY"\s*:\s*"((?:[^"\\]|\\.)*)', text)))


def key_in_the_text(deltas: Iterable[str]) -> Iterator[Shown]:
    """Takes a value that is the name of a key for that key: abi/screenshot-to-code, parsing.py."""
    return _anew(deltas, lambda text: _decoded(_found(r'"KEY"[^"]*"((?:[^"\\]|\\.)*)', text)))


def raw_keys(deltas: Iterable[str]) -> Iterator[Shown]:
    r"""Compares keys before their escapes are read, so ``"\u0063ontent"`` is none: ethereum/go-ethereum#35587."""
    text = ""
    for delta in deltas:
        text += delta
        yield {key: text_read for key, text_read in _strings(text).items() if f'"{key}"' in text}


def _decoded(found: Shown) -> Shown:
    return {key: _string(_without_cut_escape(text_read)) for key, text_read in found.items()}


def _string(inside: str) -> str:
    """The content of a string between its quotes; unchanged if it cannot be read."""
    try:
        return str(json.loads(f'"{inside}"', strict=False))
    except ValueError:
        return inside


# --- escapes ------------------------------------------------------------------------------------------------


def chain_of_replaces(deltas: Iterable[str]) -> Iterator[Shown]:
    r"""Undoes one escape after another, so ``\\n`` becomes a line break: abi/screenshot-to-code, parsing.py."""

    def unescaped(text: str) -> str:
        for escape, character in ((r"\n", "\n"), (r"\t", "\t"), (r"\"", '"'), (r"\\", "\\")):
            text = text.replace(escape, character)
        return text

    def parse(text: str) -> Shown:
        found = _found(r'"KEY"\s*:\s*"((?:[^"\\]|\\.)*)', text)
        return {key: unescaped(text_read) for key, text_read in found.items()}

    return _anew(deltas, parse)


def half_escapes(deltas: Iterable[str]) -> Iterator[Shown]:
    """Shows the beginning of an escape as it stands there: danny-avila/LibreChat#13634, before the fix."""
    text = ""
    for delta in deltas:
        text += delta
        half = _HALF_ESCAPE.search(text)
        partial = PartialArguments(watch=_KEYS)
        opened = [key for key, _ in partial.feed(text)]
        shown = {key: text_read for key in _KEYS if (text_read := partial.value(key)) is not None}
        if half and opened and not partial.complete(opened[-1]):
            shown[opened[-1]] += half[0][len(half[1]) :]
        yield shown


def high_surrogate(deltas: Iterable[str]) -> Iterator[Shown]:
    """Shows the first half of a pair while the second has not come: assistant-ui/assistant-ui#6355."""
    return _anew(deltas, lambda text: _object(_closed(_without_cut_escape(text))))


def raw_halves(deltas: Iterable[str]) -> Iterator[Shown]:
    """Joins deltas but not halves that were cut apart, as servers in JavaScript do: CopilotKit/aimock, its streams."""
    return _anew(deltas, lambda text: _object(text))


def each_delta_encoded(deltas: Iterable[str]) -> Iterator[Shown]:
    """Encodes every delta by itself, so a character that is cut becomes two signs of replacement: kekzl/imp#1554."""
    alone = (delta.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for delta in deltas)
    return _anew(alone, _strings)


def raises_on_escapes(deltas: Iterable[str]) -> Iterator[Shown]:
    r"""Reads a string once it is closed, and ``App\Http`` ends it all: anthropics/anthropic-sdk-typescript#986."""
    text = ""
    for delta in deltas:
        text += delta
        for string in re.findall(r'"(?:[^"\\]|\\.)*"', text):
            json.loads(string, strict=False)
        yield _strings(text)


# --- salvaging ----------------------------------------------------------------------------------------------


def salvaged_by_count(deltas: Iterable[str]) -> Iterator[Shown]:
    """Counts quotes and brackets, those within strings too, appends what is missing, and takes ``{}`` where that fails.

    NousResearch/hermes-agent#68612. What it makes of a call that was cut is run, too: cline/cline#13001.
    """

    def parse(text: str) -> Shown:
        fixed = text + '"' * (text.count('"') % 2)
        fixed += "}" * (text.count("{") - text.count("}")) + "]" * (text.count("[") - text.count("]"))
        return _object(fixed) or {}

    return _anew(deltas, parse)


def blank_meanwhile(deltas: Iterable[str]) -> Iterator[Shown]:
    """Shows nothing while an escape is cut in two: vercel/ai#15866, pydantic/jiter#207."""
    return _anew(deltas, lambda text: {} if _without_cut_escape(text) != text else _strings(text))


def repairs_what_follows(deltas: Iterable[str]) -> Iterator[Shown]:
    """Takes the text after the object for more of its members: mangiucugna/json_repair#213."""
    return _anew(deltas, lambda text: _strings(re.sub(r'\}\s*(?=")', ", ", text)))


def last_object(deltas: Iterable[str]) -> Iterator[Shown]:
    """Begins anew with whatever follows the object, be it white space: cartesia-ai/line#257."""
    text = ""
    for delta in deltas:
        text = delta if _object(text) is not None else text + delta
        yield _strings(text)


# --- values -------------------------------------------------------------------------------------------------


def first_of_two(deltas: Iterable[str]) -> Iterator[Shown]:
    """Keeps the first value of a key that comes twice: DaveGamble/cJSON#696, simdjson/simdjson-java#37."""

    def parse(text: str) -> Shown | None:
        return _object(_closed(_without_cut_escape(text)), object_pairs_hook=lambda pairs: dict(reversed(pairs)))

    return _anew(deltas, lambda text: _sendable(parse(text)))


def trimmed(deltas: Iterable[str]) -> Iterator[Shown]:
    """Trims white space off the end of a value: sgl-project/sglang#32179, vllm-project/vllm#48846."""
    return _anew(deltas, lambda text: {key: text_read.rstrip() for key, text_read in _strings(text).items()})


def end_held_back(deltas: Iterable[str]) -> Iterator[Shown]:
    """Holds the last characters back in case that more of a tag follows, also when nothing does.

    MiniMax-AI/MiniMax-Provider-Verifier#36 tests for it.
    """
    return _anew(deltas, lambda text: {key: text_read.removesuffix("\n") for key, text_read in _strings(text).items()})


def everything_again(deltas: Iterable[str]) -> Iterator[Shown]:
    """Right, and quadratic, since it reads all of it with every delta: earendil-works/pi#9062, vercel/ai#17113."""
    return _anew(deltas, lambda text: _sendable(_object(_closed(_without_cut_escape(text)))))


def _sendable(parsed: Mapping[str, Any] | None) -> Shown | None:
    """Half a character at the end of what has come is left out."""
    if parsed is None:
        return None
    return {
        key: _without_halves(text_read) if isinstance(text_read, str) else text_read
        for key, text_read in parsed.items()
    }


def _without_halves(text_read: str) -> str:
    return text_read.encode("utf-16", "surrogatepass").decode("utf-16", "ignore")


GALLERY: Final[Mapping[Callable[[Iterable[str]], Iterator[Shown]], str]] = {
    reparse_and_regex: "prefix",
    last_unescaped_quote: "prefix",
    key_at_any_depth: "key",
    key_in_the_text: "prefix",
    raw_keys: "final",
    chain_of_replaces: "prefix",
    half_escapes: "prefix",
    high_surrogate: "half",
    raw_halves: "half",
    each_delta_encoded: "prefix",
    raises_on_escapes: "raises",
    salvaged_by_count: "grows",
    blank_meanwhile: "grows",
    repairs_what_follows: "prefix",
    last_object: "grows",
    first_of_two: "final",
    trimmed: "final",
    end_held_back: "final",
    everything_again: "linear",
}
"""The mistakes, each with the oracle that finds it."""
