"""A rule, shown: a right request, the same with one mistake, and what the endpoint answers to it."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from harness.finding import Finding
from harness.rules.example import RuleExample
from harness.wire import OWN_WIRES, ErrorAnswer, Identity, WireName, WireRule, wire, wire_of_rule
from harness.wire.played import bases_of
from harness.wire.posted import Posted, Right, Wrong

_LONGEST: Final = 60
"""Characters of a string that are shown whole; signatures and contents are longer."""

_WIDTH: Final = 96


@dataclass(frozen=True, slots=True)
class Demonstration:
    """``right`` is the last request of a small valid loop, ``other`` the same with what ``change`` does to it.

    ``finding`` says how ``other`` breaks the rule, and ``answer`` what an endpoint says that refuses it; both are
    None for a rule that says what is permitted, where ``other`` is as right as the first.
    """

    wire: WireName
    right: Posted
    other: Posted
    change: Wrong | Right
    finding: Finding | None
    answer: ErrorAnswer | None


def demonstrations(rule: WireRule) -> Iterator[Demonstration]:
    """Yield every wrong request of a rule, or every right one of a permission, on its first base request."""
    name = wire_of_rule(rule.id)
    if name not in OWN_WIRES:
        return
    for change in _permitted_changes(name, rule) if rule.permits else rule.wrong:
        played = bases_of(name, change)[0].play()
        right, other = played.last, played.last
        change.edit(other)
        found = next((finding for finding in played.judge(other) if finding.id == rule.id), None)
        if rule.permits:
            yield Demonstration(name, right, other, change, None, None)
        elif found is not None:
            refused = found.answered.status >= 400
            answer = played.wire.refuse(found.answered, Identity("demonstration")) if refused else None
            yield Demonstration(name, right, other, change, found, answer)


def _permitted_changes(name: WireName, permission: WireRule) -> Iterator[Right]:
    for rule in wire(name).rules:
        yield from (right for right in rule.right if permission.id in (rule.id, *right.also))


def example_of(rule: WireRule) -> RuleExample | None:
    """The demonstration of a rule as an example to read; None where nothing proves the rule."""
    found = next(demonstrations(rule), None)
    if found is None:
        return None
    return RuleExample(
        found.wire,
        found.change.summary,
        tuple(_shown(found.right)),
        tuple(changes(found.right, found.other)),
        None if found.finding is None else found.finding.answered.message,
        found.answer,
    )


def _shown(posted: Posted) -> list[str]:
    """A request as lines, long strings shortened."""
    return _lines(posted, shorten=True)


def changes(before: Posted, after: Posted) -> list[str]:
    """What differs, as the lines of a diff with a little around them."""
    return _diff(_shown(before), _shown(after)) or _diff(_lines(before, shorten=False), _lines(after, shorten=False))


def _diff(before: list[str], after: list[str]) -> list[str]:
    lines = list(difflib.unified_diff(before, after, n=2, lineterm=""))
    return [line for line in lines[2:] if not line.startswith("@@")]


def _lines(posted: Posted, *, shorten: bool) -> list[str]:
    sent = f"WebSocket {posted.connection}," if posted.connection else "POST"
    head = [f"{sent} {posted.path}", *(f"{name}: {value}" for name, value in posted.headers.items()), ""]
    if posted.raw is not None:
        return [*head, *posted.raw.decode("utf-8", "backslashreplace").splitlines()]
    body = _short(posted.body) if shorten else posted.body
    return [*head, *_laid_out(body)]


def _laid_out(value: Any, indent: str = "", name: str = "", end: str = "") -> Iterator[str]:
    """JSON with every value on one line that has room there."""
    line = f"{indent}{name}{json.dumps(value, ensure_ascii=False)}{end}"
    if len(line) <= _WIDTH or not value or not isinstance(value, dict | list):
        yield line
        return
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    named = value.items() if isinstance(value, dict) else (("", each) for each in value)
    members = [(f"{json.dumps(key)}: " if isinstance(value, dict) else "", member) for key, member in named]
    yield f"{indent}{name}{opening}"
    for number, (label, member) in enumerate(members, 1):
        yield from _laid_out(member, f"{indent}  ", label, "," if number < len(members) else "")
    yield f"{indent}{closing}{end}"


def _short(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[:24]}…{value[-12:]} ({len(value)} characters)"
    if isinstance(value, dict):
        return {name: _short(member) for name, member in value.items()}
    return [_short(member) for member in value] if isinstance(value, list) else value
