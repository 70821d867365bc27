"""Edits of JSON as files have them, in words of their own.

An edit is a mapping. It changes all objects that match ``where``, at any depth, or the one of them with the number
``which``: ``set`` merges members into them, ``pop`` takes members out, ``rename`` gives members other names, and
``add`` puts numbers or texts behind values. Else it is about lists, those at any depth, or the one that is the member
``of`` the outermost object: ``without`` leaves out the elements that match (or the one with the number ``which``),
``first`` and ``last`` move them to an end of their list. ``insert`` puts something into such a list, or into the
outermost one, at a place (``at``, else at the end), and ``only`` keeps so many elements of it; ``again`` repeats the
element with this number, with what the edit sets or adds. Where an ``if`` does not match the whole, nothing changes.

A pattern is a value, or a mapping of patterns that the members of an object must match; ``present`` and ``absent`` say
whether there is a member. ``{any of: [...]}`` and ``{not: ...}`` are what they say, and ``{like: ...}`` is a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

Json = dict[str, Any]


def edit_json(value: Any, edit: Mapping[str, Any]) -> None:
    """Make an edit in place."""
    if "if" in edit and not matches(value, edit["if"]):
        return
    match edit:
        case {"without": pattern}:
            for each in _lists(value, edit):
                _leave_out(each, pattern, edit.get("which"))
        case {"first": pattern} | {"last": pattern}:
            for each in _lists(value, edit):
                each.sort(key=lambda element: matches(element, pattern) == ("last" in edit))
        case {"insert": new}:
            for each in _lists(value, edit)[:1]:
                each.insert(edit.get("at", len(each)), deepcopy(new))
        case {"again": at}:
            again = deepcopy(value[at])
            _change(again, edit)
            value.insert(value.index(value[at]) + 1, again)
        case {"only": count}:
            for each in _lists(value, edit)[:1]:
                del each[count:]
        case _:
            for found in _chosen([each for each in objects_in(value) if matches(each, edit.get("where", {}))], edit):
                _change(found, edit)


def matches(value: Any, pattern: Any) -> bool:
    """Whether a value matches a pattern."""
    if not isinstance(pattern, Mapping):
        return bool(value == pattern)
    if "any of" in pattern:
        return any(matches(value, each) for each in pattern["any of"])
    if "not" in pattern:
        return not matches(value, pattern["not"])
    if "like" in pattern:
        return isinstance(value, str) and re.fullmatch(pattern["like"], value) is not None
    return isinstance(value, dict) and all(_has(value, name, each) for name, each in pattern.items())


def _has(holder: Json, name: str, pattern: Any) -> bool:
    if pattern in ("present", "absent"):
        return (name in holder) is bool(pattern == "present")
    return matches(holder.get(name), pattern)


def objects_in(value: Any) -> Iterator[Json]:
    """Every object in a JSON value, itself among them."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects_in(inner)


def _lists(value: Any, edit: Mapping[str, Any]) -> list[list[Any]]:
    if "of" not in edit:
        return list(_lists_in(value))
    named = value.get(edit["of"])
    return [named] if isinstance(named, list) else []


def _lists_in(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _lists_in(inner)


def _chosen(found: list[Any], edit: Mapping[str, Any]) -> list[Any]:
    return [found[edit["which"]]] if "which" in edit else found


def _leave_out(elements: list[Any], pattern: Any, which: int | None) -> None:
    found = [at for at, element in enumerate(elements) if matches(element, pattern)]
    for at in reversed(found if which is None else [found[which]] if found else []):
        del elements[at]


def _change(found: Json, edit: Mapping[str, Any]) -> None:
    for old, new in edit.get("rename", {}).items():
        if old in found:
            found[new] = found.pop(old)
    for name in edit.get("pop", ()):
        found.pop(name, None)
    _merge(found, edit.get("set", {}))
    for name, more in edit.get("add", {}).items():
        found[name] += more


def _merge(into: Json, members: Mapping[str, Any]) -> None:
    for name, value in members.items():
        if isinstance(value, Mapping) and isinstance(into.get(name), dict):
            _merge(into[name], value)
        else:
            into[name] = deepcopy(value)
