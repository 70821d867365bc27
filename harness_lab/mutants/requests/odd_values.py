"""Values that nobody would send in the place of one that a valid request has: each kind of place has each of them.

A text that is blank, cut, in capitals, or what another wire or another maker has there; JSON spelled otherwise; an
image of another format; a value of every other type. They are so many that each kind of place is tried in two requests
only, which the hash of their names chooses.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from zlib import crc32

from harness.ground.bounded_json import loads
from harness.wire.base import Json
from harness_lab.mutants.requests.small_changes import Place, SmallChange, pattern_of, places_in

_TRIED: Final = 2
"""In how many requests each kind of place is tried."""

_OTHER_TYPES: Final[Sequence[tuple[str, Any]]] = (
    *(("a text", "x"), ("a number", 7), ("a fraction", 0.5), ("true", True), ("false", False)),
    *(("a list", []), ("a list of texts", ["x"]), ("an object", {"x": 1}), ("an empty object", {})),
)

_PICTURES: Final[Mapping[str, str]] = {
    "jpeg": "/9j/4AAQSkZJRgABAQ==",
    "png": "iVBORw0KGgoAAAANSUhEUg==",
    "gif": "R0lGODlhAQABAAAAACw=",
    "webp": "UklGRhoAAABXRUJQVlA4TA==",
    "avi": "UklGRhoAAABBVkkgTElTVA==",
}
"""The first bytes of images, and of what only begins like one."""

_MEDIA: Final = (
    *("image/png", "image/jpeg", "image/gif", "image/webp", "image/tiff"),
    *("application/pdf", "audio/wav", "text/csv"),
)

_SHOWN_LENGTHS: Final = (24, 25, 58, 59, 60, 61, 62, 159, 160, 161)
"""As long as what findings show of a value, with its quotes and without, and one more."""

_ALPHABETS: Final = str.maketrans("+/-_", "-_+/")


def odd_values(bodies: Sequence[Json]) -> Iterator[tuple[int, SmallChange]]:
    """The changes, each with the number of the body that it is made for."""
    places: dict[str, list[tuple[int, int, Place, object]]] = defaultdict(list)
    for number, body in enumerate(bodies):
        for place, value in places_in(body):
            pattern = f"{pattern_of(place)} {type(value).__name__}"
            rank = crc32(f"{number} {place}".encode("utf-8", "backslashreplace"))
            places[pattern].append((rank, number, place, value))
    for found in places.values():
        for _, number, place, value in sorted(found, key=lambda each: each[:2])[:_TRIED]:
            yield from ((number, SmallChange(place, what, other)) for what, other in _odd(value))


def _odd(value: object) -> Iterator[tuple[str, object]]:
    yield from ((what, other) for what, other in _OTHER_TYPES if type(other) is not type(value))
    match value:
        case str():
            yield from _texts(value)
        case list():
            yield from _lists(value)
        case dict():
            yield from _objects(value)


def _texts(value: str) -> Iterator[tuple[str, str]]:
    yield from (("blank", " "), ("a line's end", "\n"), ("in other letters", f"{value}\u00e9\U0001f600"))
    yield from (("with half a character", f"{value}\ud800"), ("with a space", f"{value[:1]} {value[1:]}"))
    yield from (("shorter", value[:-1]), ("without its first", value[1:]), ("doubled", value * 2))
    yield from (("in capitals", value.upper()), ("in small letters", value.lower()), ("backwards", value[::-1]))
    yield from (("with a dot", f"{value}.a"), ("with a line", f"-{value}"), ("with a digit first", f"7{value}"))
    yield from (("unpadded", value.rstrip("=")), ("padded", f"{value}="), ("respelled", value.translate(_ALPHABETS)))
    for media in _MEDIA:
        yield from ((media, media), (f"data of {media}", f"data:{media};base64,AAAA"))
    for kind, head in _PICTURES.items():
        yield from ((f"a {kind}", head), (f"a {kind} of its own", f"data:image/png;base64,{head}"))
    for length in _SHOWN_LENGTHS:
        yield f"of {length} characters", ((value or "x") * length)[:length]
    yield from (("null in JSON", "null"), ("a list in JSON", "[]"), ("an object in JSON", '{"path": "src"}'))
    yield from (("broken JSON", '{"path": '), ("a member twice", '{"path": "a", "path": "src"}'))
    if value[:1] in ("{", "["):
        yield from _respelled(value)


def _respelled(value: str) -> Iterator[tuple[str, str]]:
    try:
        inside = loads(value)
    except ValueError:
        return
    yield "spelled otherwise", json.dumps(inside, indent=1)
    if isinstance(inside, dict):
        yield "with null inside", json.dumps(dict.fromkeys(inside))
        yield "with more inside", json.dumps({**inside, "x": 1})
        yield "in capitals inside", json.dumps({name: str(each).upper() for name, each in inside.items()})


def _lists(value: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    for what, other in (("null", None), ("a text", "x"), ("an empty object", {}), ("a list", [])):
        yield from ((f"{what} first", [other, *value]), (f"{what} last", [*value, other]))
        yield f"{what} alone", [other]
    yield from (("in a list", [value]), ("thrice", value * 3))
    yield from ((f"{length} characters in JSON", ["x" * (length - 4)]) for length in _SHOWN_LENGTHS)


def _objects(value: dict[str, Any]) -> Iterator[tuple[str, object]]:
    yield from (
        ("in a list", [value]),
        ("backwards", dict(reversed(value.items()))),
        ("of nulls", dict.fromkeys(value)),
    )
    yield "spelled otherwise", {_other_spelling(name): each for name, each in value.items()}
    for name in value:
        yield f"and {name} twice", {**value, f"{name}_2": value[name]}


def _other_spelling(name: str) -> str:
    """In camelCase where it is in snake_case, and the other way round."""
    if "_" in name:
        first, *others = name.split("_")
        return first + "".join(word.capitalize() for word in others)
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)
