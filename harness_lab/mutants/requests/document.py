"""The page of one wire's rules: ``docs/rules/WIRE.md`` is what ``page(wire)`` says, and a test holds it to that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from harness.finding import Finding
from harness.rules.demonstration import demonstrations
from harness.wire import ErrorTemplate, Wire, WireName, WireRule, wire

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
    rows = [row for rule in speaker.rules if not rule.permits for row in _answer_rows(rule)]
    if not rows:
        return
    yield "## What is certain: our answer beside the provider's\n"
    yield "Ours is what the endpoint answers to a mutant; the provider's, where there is a text, was seen word for"
    yield "word. `…` marks what its source left out.\n"
    yield "| rule | status | our answer | the provider's |\n|---|---|---|---|"
    yield from rows
    yield ""


def _answer_rows(rule: WireRule) -> Iterator[str]:
    """Yield a row for each certain template, with the first mutant that gets it."""
    broken = [each.finding for each in demonstrations(rule) if each.finding is not None]
    for template in rule.templates:
        ours = next((each for each in broken if template.matches(each.answered.message)), None)
        if (template.certainty or rule.certainty) == "certain" and template.status >= 400 and ours is not None:
            seen = _code(template.seen) if template.seen else "*known by its effect only*"
            yield f"| {rule.id} | {ours.answered.status} | {_answered(ours)} | {seen} |"


def _answered(finding: Finding) -> str:
    answer = finding.answered
    members = {"param": answer.param, "code": answer.code}
    beside = ", ".join(f"{name} `{value}`" for name, value in members.items() if value)
    return f"{_code(answer.message)} ({beside})" if beside else _code(answer.message)


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
    level = "Allowed" if rule.permits else rule.level
    terms = [level, *dict.fromkeys(_status(template) for template in rule.templates)]
    lines = [f"## {rule.id}\n", rule.statement, "", rule.why, "", f"*{'; '.join(terms)}.*"]
    lines += [f"Applies to {rule.applies}."] if rule.applies else []
    lines += ["", *(f"- {_linked(evidence)}" for evidence in rule.evidence), ""]
    return "\n".join(lines)


def _status(template: ErrorTemplate) -> str:
    return f"HTTP {template.status}" if template.status >= 400 else "no known refusal"


def _linked(text: str) -> str:
    return _URL.sub(lambda url: f"<{url[0]}>", text)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
