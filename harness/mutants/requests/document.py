"""The page of one wire's rules: ``docs/rules/WIRE.md`` is what ``page(wire)`` says, and a test holds it to that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.mutants.requests.demonstration import demonstration
from harness.wire import Wire, WireName, WireRule, Wording, wire

__all__ = ["page"]

_LEVELS = {"C": "MUST", "L": "SHOULD", "I": "INFO"}
_URL = re.compile(r"(?<![<(])https?://[^\s,;)]+")


def page(name: WireName) -> str:
    """The rules of a wire, what its endpoint answers beside what the provider was seen to say, and its models."""
    speaker = wire(name)
    parts = [_head(speaker), *(_answers(speaker)), *(_models(speaker))]
    parts += [_entry(rule) for rule in speaker.rules]
    return "\n".join(parts)


def _head(speaker: Wire) -> str:
    return f"""\
# The rules of {speaker.name}

Generated from `harness.wire`; do not edit. `harness explain {speaker.rules[0].id}` shows one of them with a right and a
wrong request; `--rule {speaker.rules[0].id}` judges by it alone, `--skip {speaker.rules[0].id}` leaves it out.

**MUST**: certain; recorded, or a provider's answer word for word. **SHOULD**: likely. **INFO**: inferred, or refused by
nobody. *Allowed*: what the provider takes although one could think otherwise. A single finding may have a lower level
than its rule, where that very form is less certain.
"""


# --- our answers beside the provider's ---------------------------------------------------------------------


def _answers(speaker: Wire) -> Iterator[str]:
    certain = [rule for rule in speaker.rules if rule.level == "C" and not rule.allowance]
    rows = [row for rule in certain for row in _answer_rows(rule)]
    if not rows:
        return
    yield "## Certain rules: our answer beside the provider's\n"
    yield "Ours is what the endpoint answers to the rule's first mutant; the provider's was seen word for word, where a"
    yield "text stands there. `…` marks what its source left out.\n"
    yield "| rule | status | our answer | the provider's |\n|---|---|---|---|"
    yield from rows
    yield ""


def _answer_rows(rule: WireRule) -> Iterator[str]:
    violation = demonstration(rule).violation
    if violation is None or violation.status < 400:
        return
    words = [f"param `{violation.param}`"] if violation.param else []
    words += [f"code `{violation.code}`"] if violation.code else []
    ours = " ".join([_code(violation.message), *([f"({', '.join(words)})"] if words else [])])
    seen = [_code(wording.seen) for _, wording in rule.wordings if wording.seen]
    yield f"| {rule.id} | {violation.status} | {ours} | {'<br>'.join(seen) or '*known by its effect only*'} |"


def _code(text: str) -> str:
    """A text in a table cell, as code whatever it holds."""
    plain = text.replace("\n", "\\n").replace("|", "\\|")
    fence = "``" if "`" in plain else "`"
    padding = " " if "`" in plain else ""
    return f"{fence}{padding}{plain}{padding}{fence}"


# --- models ---------------------------------------------------------------------------------------------------


def _models(speaker: Wire) -> Iterator[str]:
    if not speaker.models.facts:
        return
    yield "## What depends on the model\n"
    yield "| fact | models | value | known from |\n|---|---|---|---|"
    for fact in speaker.models.facts:
        yield f"| {fact.name} | {_cell(fact.models)} | {_value(fact.value)} | {_cell(_linked(fact.source))} |"
    yield ""


def _value(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, set | frozenset | tuple | list):
        return _cell(", ".join(sorted(map(str, value))))
    return f"{value:,}" if isinstance(value, int) else _cell(str(value))


# --- the rules one by one -------------------------------------------------------------------------------------


def _entry(rule: WireRule) -> str:
    level = "Allowed" if rule.allowance else _LEVELS[rule.level]
    terms = [level, *dict.fromkeys(_status(wording) for _, wording in rule.wordings)]
    lines = [f"## {rule.id}\n", rule.statement, "", rule.why, "", f"*{'; '.join(terms)}.*"]
    lines += [f"Applies to {rule.applies}."] if rule.applies else []
    lines += ["", *(f"- {_linked(evidence)}" for evidence in rule.evidence), ""]
    return "\n".join(lines)


def _status(wording: Wording) -> str:
    return f"HTTP {wording.status}" if wording.status >= 400 else "refused by nobody"


def _linked(text: str) -> str:
    return _URL.sub(lambda url: f"<{url[0]}>", text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
