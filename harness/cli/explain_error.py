"""``harness explain "TEXT"``: the rule that a provider's error is about, and what to change."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, cast

from harness.cli.explain_wire_rule import paragraph, short, wire_rule
from harness.errors import BadInput
from harness.lint import messages_in, rules_for
from harness.report.causes import CATEGORY_WORDS, Category
from harness.report.json_output import ErrorReason, ErrorRule, ExplainedError, ExplainedExample, ExplainedRule
from harness.report.terminal import visible
from harness.wire import wire_of_rule
from harness.wire.servers import REASONS, SERVERS, refusal_reason

_SURENESS: Final = {
    "certain": "this is its error text",
    "likely": "this is nearly its error text, or a part of it",
    "possible": "possible match",
}
_TURNED: Final = {"-": "+", "+": "-"}
_LONGEST: Final = 300
"""Characters of a message that are shown."""


def explained_error(pasted: str) -> ExplainedError:
    """The rules that the error may be about, or else the ability of a model or a server that it is about.

    Raises ``BadInput`` if there is neither.
    """
    found = rules_for(pasted)
    reason = _reason(pasted)
    if reason is not None and (not found or found[0].sureness == "possible"):
        return ExplainedError((), reason)
    if not found:
        raise BadInput(
            f"not recognised as a request-format error: {_cut(pasted)!r}; expected the error that a provider answers "
            "to a request whose history or form it refuses. Rate limits, keys and overload are not about the request; "
            "'harness lint-request FILE' judges the request itself"
        )
    rules = [wire_rule(found[0].rule), *(short(each.rule) for each in found[1:])]
    pairs = zip(rules, found, strict=True)
    return ExplainedError(tuple(ErrorRule(rule, each.sureness, each.message) for rule, each in pairs))


def error_lines(error: ExplainedError) -> Iterator[str]:
    """The lines to print: the best rule with what to change, and the others in short; or the reason that is no rule."""
    if error.reason is not None:
        yield from _reason_lines(error.reason)
        return
    best, *others = error.rules
    more = f" ({len(others)} other rule{'s use' if others[1:] else ' uses'} this text)" if others else ""
    yield f"{_title(best.rule)}: {_SURENESS[best.sureness]}{more if best.sureness == 'possible' else ''}\n"
    yield f"  {visible(_cut(best.message))}\n"
    yield f"{paragraph(best.rule.statement)}\n\n{paragraph(best.rule.why)}\n"
    if best.rule.applies:
        yield f"applies to: {best.rule.applies}\n"
    if best.rule.example is not None:
        yield from _changes(best.rule.example)
    for other in others:
        yield f"or {_title(other.rule)}:\n  {textwrap.shorten(other.rule.statement, 180, placeholder=' ...')}"
    yield f"{'' if not others else chr(10)}next: 'harness lint-request FILE' finds the place in your request;"
    yield f"'harness explain {best.rule.id}' shows the evidence, and a whole request"


def _reason(pasted: str) -> ErrorReason | None:
    messages = [each.text for each in messages_in(pasted)]
    found = next((reason for text in messages if (reason := refusal_reason(text)) is not None), None)
    if found is None:
        return None
    server = SERVERS[found.server].title if found.server else ""
    return ErrorReason(found.kind, REASONS[found.kind], found.ability, server, found.models, found.evidence)


def _reason_lines(reason: ErrorReason) -> Iterator[str]:
    yield f"no rule: {reason.means}\n"
    shown = {"cannot": reason.ability, "server": reason.server, "models": reason.models, "seen in": reason.evidence}
    yield from (f"  {name:<9} {value}" for name, value in shown.items() if value)


def _title(rule: ExplainedRule) -> str:
    words = CATEGORY_WORDS[cast(Category, rule.category)]
    return f"{rule.id}  {rule.severity}, {words}, on {wire_of_rule(rule.id)}"


def _changes(example: ExplainedExample) -> Iterator[str]:
    yield f"What to change, in an example (- as it is refused, + as it is right). The mistake: {example.summary}\n"
    yield from (f"  {visible(line)}" for line in _undone(example.changes))
    yield ""


def _undone(changes: Sequence[str]) -> Iterator[str]:
    """The lines of a diff that undoes the changes. The wrong request comes first."""
    turned = [_TURNED.get(line[:1], line[:1]) + line[1:] for line in changes]
    for kind, lines in groupby(turned, key=lambda line: line[:1] in _TURNED):
        block = list(lines)
        yield from sorted(block, key=lambda line: line[:1] == "+") if kind else block


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 4]} ..."
