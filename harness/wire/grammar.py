"""How a wire distinguishes its events and objects, and in which objects the keys are not the wire's own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Grammar:
    """How the requests and responses of one wire are built.

    ``kind`` names an event by its data, to compare the order of events; ``place`` names it to compare its members.
    ``type_mark`` distinguishes the kinds of objects in one place: it is put after the path of a member (``<tool_use>``)
    and may be empty. ``free`` are members whose value is the request's or the model's own (arguments, schemas,
    metadata): nothing below them is compared. ``free_in_requests`` are further such members in requests.
    """

    kind: Callable[[Any], str]
    place: Callable[[str], str]
    type_mark: Callable[[str, Json], str]
    free: frozenset[str]
    free_in_requests: frozenset[str] = frozenset()


_UNIONS = frozenset({"item", "part", "content_block", "delta", "annotation", "action"})
"""Members whose ``type`` determines their other members. Elements of lists are such objects, too."""


def by_type(name: str, value: Json) -> str:
    """The mark of an object that has its own type in ``type`` or ``@type``; empty for any other."""
    kind = value.get("@type", value.get("type")) if name.endswith("[]") or name in _UNIONS else None
    return f"<{kind.rpartition('/')[2]}>" if isinstance(kind, str) else ""


def named(data: Any) -> str:
    """The event's own type, with the type of what the event opens or continues.

    What an event ends is not named: the model decides the order of items, so it is no matter of form.
    """
    if not isinstance(data, dict):
        return str(data)[:20]
    kind = str(data.get("type"))
    carried = next((data[name] for name in ("content_block", "delta", "item", "part") if name in data), None)
    inner = carried.get("type") if isinstance(carried, dict) else None
    return f"{kind} {inner}" if isinstance(inner, str) and not kind.endswith(".done") else kind


_ENDS = ("response.completed", "response.incomplete", "response.failed")


def place(kind: str) -> str:
    """One name for the three events that end a response: they carry the same object."""
    return "|".join(_ENDS) if kind in _ENDS else kind.partition(" ")[0]
