"""How a wire distinguishes its events and objects, and where the keys of an object are not its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Grammar:
    """The words of one wire for what its requests and responses are made of.

    ``kind`` names an event by its data, for what may follow what; ``place`` names it for the members that it has.
    ``type_mark`` distinguishes the kinds of objects that are in one place: what is put behind the path of a member,
    ``<tool_use>``, or nothing. ``free`` are members whose value is the request's or the model's own (arguments,
    schemas, metadata): nothing below them is compared. ``free_in_requests`` are more of them, in requests.
    """

    kind: Callable[[Any], str]
    place: Callable[[str], str]
    type_mark: Callable[[str, Json], str]
    free: frozenset[str]
    free_in_requests: frozenset[str] = frozenset()


_UNIONS = frozenset({"item", "part", "content_block", "delta", "annotation", "action"})
"""Members, beside the elements of lists, of which ``type`` says what else they have."""


def by_type(name: str, value: Json) -> str:
    """The mark of an object that has its own type in ``type`` or ``@type``; empty for any other."""
    kind = value.get("@type", value.get("type")) if name.endswith("[]") or name in _UNIONS else None
    return f"<{kind.rpartition('/')[2]}>" if isinstance(kind, str) else ""


def named(data: Any) -> str:
    """An event that says its own type, with the type of what it opens or continues.

    What ends is not named: which item comes after which is the model's to say, and no matter of form.
    """
    if not isinstance(data, dict):
        return str(data)[:20]
    kind = str(data.get("type"))
    carried = next((data[name] for name in ("content_block", "delta", "item", "part") if name in data), None)
    inner = carried.get("type") if isinstance(carried, dict) else None
    return f"{kind} {inner}" if isinstance(inner, str) and not kind.endswith(".done") else kind


_ENDS = ("response.completed", "response.incomplete", "response.failed")


def place(kind: str) -> str:
    """The three ends of a response carry one and the same object."""
    return "|".join(_ENDS) if kind in _ENDS else kind.partition(" ")[0]
