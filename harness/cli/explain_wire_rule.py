"""``harness explain ANT-15``: what a provider demands, what it answers, and a right and a wrong request."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import replace

from harness.plugins import call, load, plugins
from harness.report.entries import category_of, severity_of
from harness.report.json_output import ExplainedExample, ExplainedRule
from harness.report.terminal import visible
from harness.rules.demonstration import example_of
from harness.rules.example import RuleExample
from harness.wire import WireRule, wire_of_rule


def explained(rule: WireRule) -> Iterator[str]:
    """The explanation, line by line."""
    yield f"{rule.id}  {_severity(rule)}, on {wire_of_rule(rule.id)}\n"
    yield f"{paragraph(rule.statement)}\n"
    yield f"{paragraph(rule.why)}\n"
    if rule.applies:
        yield _item("applies to", rule.applies)
    for number, source in enumerate(rule.evidence):
        yield _item("" if number else "evidence", source)
    example = _example(rule)
    if example is not None:
        yield from _answer(rule, example)
        yield "\nA right request, the last of a small loop:\n"
        yield from (f"  {visible(line)}" for line in example.right)
        yield f"\n{'As right' if rule.permits else 'Wrong'}: {example.summary}\n"
        yield from (f"  {visible(line)}" for line in example.changes)


def _example(rule: WireRule) -> RuleExample | None:
    """The first example that an installed package has, else the example in the rule itself."""
    examples = (call(plugin, load(plugin), rule) for plugin in plugins("harness.examples").values())
    return next((example for example in examples if example is not None), None) or example_of(rule)


def wire_rule(rule: WireRule) -> ExplainedRule:
    """The explanation as a JSON model."""
    example = _example(rule)
    observed = tuple(template.seen for template in rule.templates if template.seen)
    return replace(short(rule), observed=observed, example=None if example is None else _as_values(example))


def short(rule: WireRule) -> ExplainedRule:
    """The same without the observed errors, and without the example, which takes long to make."""
    return ExplainedRule(
        rule.id,
        "ALLOWED" if rule.permits else rule.level,
        "" if rule.permits else category_of(f"continuation/{wire_of_rule(rule.id)}", rule.level, "invalid"),
        rule.statement,
        rule.why,
        applies=rule.applies,
        sources=rule.evidence,
    )


def _as_values(example: RuleExample) -> ExplainedExample:
    answer = example.answer
    return ExplainedExample(
        example.wire,
        example.summary,
        example.right,
        example.changes,
        None if answer is None else answer.status,
        None if answer is None else answer.body.decode("utf-8", "backslashreplace"),
    )


def _severity(rule: WireRule) -> str:
    if rule.permits:
        return "ALLOWED, accepted by the provider"
    return severity_of(f"continuation/{wire_of_rule(rule.id)}", rule.level, "invalid")


def _answer(rule: WireRule, example: RuleExample) -> Iterator[str]:
    if example.message is None:
        return
    if example.answer is None:
        yield f"\nNo provider rejects it:\n  {_indented_text(example.message)}"
        return
    yield f"\nThe answer to the wrong request below: HTTP {example.answer.status}\n"
    yield from (f"  {visible(line)}" for line in json.dumps(json.loads(example.answer.body), indent=2).splitlines())
    seen = [template.seen for template in rule.templates if template.seen]
    if seen:
        yield "\nObserved provider errors:\n"
        yield from (f"  {visible(text)}" for text in seen)


def paragraph(text: str) -> str:
    """A text, wrapped to lines of 100 characters."""
    return textwrap.fill(" ".join(text.split()), 100, break_on_hyphens=False)


def _item(name: str, text: str) -> str:
    return textwrap.fill(
        f"{name:<11} {text}", 100, subsequent_indent=" " * 12, break_long_words=False, break_on_hyphens=False
    )


def _indented_text(text: str) -> str:
    return textwrap.fill(text, 98, subsequent_indent="  ")
