"""The page of one wire's rules: ``docs/rules/WIRE.md`` is what ``page(wire)`` says, and a test holds it to that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter

from harness.wire import ErrorTemplate, Violation, Wire, WireName, WireRule, wire
from harness_lab.mutants.requests.demonstration import demonstrations

__all__ = ["page", "says"]

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
no known server. *Allowed*: what the provider accepts although one could think otherwise. A single finding may have a
lower level than its rule, where that form is less certain.
"""


# --- our answers beside the provider's ---------------------------------------------------------------------


def _answers(speaker: Wire) -> Iterator[str]:
    rows = [row for rule in speaker.rules if not rule.allowance for row in _answer_rows(rule)]
    if not rows:
        return
    yield "## What is certain: our answer beside the provider's\n"
    yield "Ours is what the endpoint answers to a mutant; the provider's, where there is a text, was seen word for"
    yield "word. `…` marks what its source left out.\n"
    yield "| rule | status | our answer | the provider's |\n|---|---|---|---|"
    yield from rows
    yield ""


def _answer_rows(rule: WireRule) -> Iterator[str]:
    """A row for each certain wording, with the first mutant that gets it."""
    broken = [each.violation for each in demonstrations(rule) if each.violation is not None]
    for _, wording in rule.wordings:
        ours = next((each for each in broken if says(wording, each.message)), None)
        if (wording.level or rule.level) == "C" and wording.status >= 400 and ours is not None:
            seen = _code(wording.seen) if wording.seen else "*known by its effect only*"
            yield f"| {rule.id} | {ours.status} | {_answered(ours)} | {seen} |"


def says(wording: ErrorTemplate, message: str) -> bool:
    """Whether a message is this wording, with whatever in place of its words."""
    pieces = Formatter().parse(wording.message)
    pattern = "".join(re.escape(text) + ("" if word is None else ".*") for text, word, _, _ in pieces)
    return re.fullmatch(pattern, message, re.DOTALL) is not None


def _answered(violation: Violation) -> str:
    members = {"param": violation.param, "code": violation.code}
    beside = ", ".join(f"{name} `{value}`" for name, value in members.items() if value)
    return f"{_code(violation.message)} ({beside})" if beside else _code(violation.message)


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


def _status(wording: ErrorTemplate) -> str:
    return f"HTTP {wording.status}" if wording.status >= 400 else "no known refusal"


def _linked(text: str) -> str:
    return _URL.sub(lambda url: f"<{url[0]}>", text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
