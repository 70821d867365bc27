"""The features of an example, which the coverage of the grammar counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

from harness.fuzz.arguments.document import ReadObject, document_of
from harness.fuzz.arguments.example import ArgumentsExample

_PATTERNS: Final = {
    "short escape": r"\\[bfnrt/]",
    "escaped quote": r'\\"',
    "escaped backslash": r"\\\\",
    "\\u escape": r"\\u[0-9a-fA-F]{4}",
    "escaped pair": r"\\u[dD][89abAB]..\\u[dD][c-fC-F]..",
    "escaped half": r"(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]..|\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])",
    "raw half": "(?<![\ud800-\udbff])[\udc00-\udfff]|[\ud800-\udbff](?![\udc00-\udfff])",
    "raw pair in halves": "[\ud800-\udbff][\udc00-\udfff]",
    "half raw, half escaped": r"[\ud800-\udbff]\\u[dD][c-fC-F]|\\u[dD][89abAB]..[\udc00-\udfff]",
    "character beyond ASCII": "[\u0080-\ud7ff\ue000-\uffff]",
    "character of two halves": "[\U00010000-\U0010ffff]",
    "line separator": "[\u2028\u2029]",
    "escaped key": r'[{,]\s*"[^"]*\\[^"]*"\s*:',
    "empty key": r'[{,]\s*""\s*:',
    "empty string": r':\s*""',
    "nested object": r"[:\[]\s*\{",
    "array": r"\[",
    "bracket in a string": r':\s*"(?:[^"\\]|\\.)*[{}\[\]]',
    "look-alike of a key in a string": r'\\":',
    "number": r"[:\[,]\s*-?[0-9]",
    "number at the edge": r"[:\[,]\s*-?(?:[0-9]+(?:\.[0-9]+)?[eE]|0[,}\s]*|[0-9]{16})",
    "true, false or null": r"[:\[,]\s*(?:true|false|null)\b",
    "NaN or an infinity": r"[:\[,]\s*(?:NaN|-?Infinity)\b",
    "white space around": r"[{:,]\s*[\n\t\r]",
    "padded string": r':\s*"(?: |\\n)|(?: |\\n)"\s*[,}]',
    "code fence": "```",
    "comment": r"//|/\*",
    "single quotes": r"[{:,]\s*'",
    "bare key": r"[{,]\s*[A-Za-z_]\w*\s*:",
    "trailing comma": r",\s*[}\]]",
    "Python's words": r"[:\[,]\s*(?:True|False|None)\b",
    "raw control character": r'"[^"\\]*[\x00-\x1f][^"\\]*"',
    "unknown escape": r'\\(?:[^"\\/bfnrtu]|u(?![0-9a-fA-F]{4}))',
    "written twice": r'^\s*"\s*\{',
    "two objects": r"\}\s*\{",
    "token of a chat template": r"<\||<｜|</?tool_call",
}
"""Features of the spelling of a text."""

_HOLDS: Final[dict[str, Callable[[ReadObject], object]]] = {
    "empty text": lambda document: not document.text.strip(),
    "no object": lambda document: document.text and not document.text.lstrip().startswith("{"),
    "empty object": lambda document: document.closed and not document.members,
    "JSON object": lambda document: document.is_object,
    "ends too early": lambda document: not document.closed and document.sound == len(document.text),
    "ends within a string": lambda document: any(not m.whole and m.text is not None for m in document.members),
    "no JSON": lambda document: document.sound < len(document.text),
    "text behind the object": lambda document: document.closed and document.sound < len(document.text),
    "key that comes twice": lambda document: not document.plain,
    "key that comes twice, no string at last": lambda document: any(
        len(members) > 1 and members[-1].text is None for members in document.by_key.values()
    ),
    "key as a value": lambda document: any(member.value in ("content", "path") for member in document.members),
    "key of a nested object": lambda document: any(
        key in document.by_key for member in document.members for key in _inner_keys(member.value)
    ),
}
"""Features of the content of a text."""

_CUTS: Final = {
    "cut in an escape": (r"\\[^u]", range(1, 2)),
    "cut in a \\u escape": (r"\\u[0-9a-fA-F]{4}", range(1, 6)),
    "cut between escaped halves": (r"\\u[dD][89abAB]..\\u[dD]", range(6, 7)),
    "cut between raw halves": ("[\ud800-\udbff][\udc00-\udfff]", range(1, 2)),
    "cut in a key": (r'"[^"\\]{2,}"\s*:', range(2, 3)),
    "cut in a number": (r"[0-9.eE+-]{2,}", range(1, 2)),
    "cut in a word": (r"true|false|null", range(1, 2)),
    "cut before the closing quote": (r'[^\\]"', range(1, 2)),
}
"""The place of a cut: a pattern, and how far after its beginning the cut is."""

_WAYS: Final = ("whole", "character by character", "delta without a character", "many times over")

FEATURES: Final = (*_PATTERNS, *_HOLDS, *_CUTS, *_WAYS)

_COMPILED: Final = {name: re.compile(pattern, re.DOTALL) for name, pattern in _PATTERNS.items()}
_COMPILED_CUTS: Final = {name: (re.compile(pattern), behind) for name, (pattern, behind) in _CUTS.items()}


def features_of(example: ArgumentsExample) -> Iterable[str]:
    """Those of ``FEATURES`` that the example has."""
    names, cuts = _of_text(example.text)
    found = set(names)
    sizes = example.sizes
    if not sizes:
        found.add("whole")
    elif sizes == (1,):
        found.add("character by character")
    if 0 in sizes:
        found.add("delta without a character")
    if example.stretch is not None:
        found.add("many times over")
        return found
    for end in accumulate(map(len, example.deltas)):
        if end in cuts:
            found |= cuts[end]
    return found


@lru_cache(maxsize=1024)
def _of_text(text: str) -> tuple[frozenset[str], dict[int, set[str]]]:
    """The features of the text, and those that it has if it is cut at an index."""
    document = document_of(text)
    found = {name for name, pattern in _COMPILED.items() if pattern.search(text)}
    found |= {name for name, holds in _HOLDS.items() if holds(document)}
    cuts: dict[int, set[str]] = {}
    for name, (pattern, behind) in _COMPILED_CUTS.items():
        for match in pattern.finditer(text):
            for distance in behind:
                cuts.setdefault(match.start() + distance, set()).add(name)
    return frozenset(found), cuts


def _inner_keys(value: Any) -> Iterable[str]:
    """The keys of objects within a value."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _inner_keys(member)
    elif isinstance(value, list):
        for item in value:
            yield from _inner_keys(item)
