"""Values of the types that an SDK declares for the members of a request, each of its forms once.

``values(declared)`` reads a type: each of the words that it allows, each alternative of a union, an object with what it
must have, and with each member that it may have.
"""

from __future__ import annotations

import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Literal, NotRequired, Required, Union, get_args, get_origin

from typing_extensions import ReadOnly, get_type_hints, is_typeddict

DEEPEST = 6
PLAIN: Mapping[Any, Any] = {str: "example", int: 1, float: 0.5, bool: True, object: {}, Any: {}, type(None): None}


def members(declared: Any) -> dict[str, Any]:
    """The members of a ``TypedDict`` with their types."""
    return get_type_hints(declared, include_extras=True)


def values(declared: Any, deep: int = 0) -> Iterator[Any]:
    """Values of a type, the plainest one first. None where it is deeper than anybody writes by hand."""
    declared = _bare(declared)
    origin, arguments = get_origin(declared), get_args(declared)
    if deep > DEEPEST:
        return
    if declared in PLAIN:
        yield PLAIN[declared]
    elif origin is Literal:
        yield from arguments
    elif origin is Union or str(origin) == "<class 'types.UnionType'>":
        for each in arguments:
            yield from values(each, deep)
    elif is_typeddict(declared):
        yield from _objects(declared, deep)
    elif origin in _LISTS or "SequenceNotStr" in str(declared):
        for each in values(arguments[0], deep + 1) if arguments else ["example"]:
            yield [each]
    elif origin in (dict, Mapping, typing.Mapping):
        for each in values(arguments[1], deep + 1):
            yield {"example": each}


_LISTS = (list, Sequence, Iterable, tuple, typing.List)  # noqa: UP006


def _bare(declared: Any) -> Any:
    while get_origin(declared) in (Required, NotRequired, ReadOnly, typing.Annotated):
        declared = get_args(declared)[0]
    return declared


def _objects(declared: Any, deep: int) -> Iterator[dict[str, Any]]:
    hints = members(declared)
    least: dict[str, Any] = {}
    for name, hint in hints.items():
        if get_origin(hint) is Required or (declared.__total__ and get_origin(hint) is not NotRequired):
            first = list(islice(values(hint, deep + 1), 1))
            if not first:
                return
            least[name] = first[0]
    yield least
    for name, hint in hints.items():
        yield from ({**least, name: other} for other in islice(values(hint, deep + 1), int(name in least), None))
