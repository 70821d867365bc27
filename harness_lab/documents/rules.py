"""The catalogue as a document: ``docs/rules.md`` is what ``markdown()`` says; ``scripts/regenerate`` writes it."""

from __future__ import annotations

from collections.abc import Sequence

from harness.rules.catalogue import FAMILIES, RULES
from harness.rules.model import Rule

_HEAD = """\
# The rules

Generated from `harness.rules`; do not edit. `harness explain RULE` shows one of them, `--rule` selects by rule
(`preview/prefix`), by family (`preview`) or by a provider's own rule (`ANT-01`).

- **MUST**: a loop that breaks it is wrong. **SHOULD**: a loop may differ, and its users will notice. **INFO**: reported
  only on request (`--info`, or by its name).
- **invalid**: the provider would refuse it. **unsafe**: a user or a model is misled or harmed. **style**: cosmetic.
- A rule applies only where the trace contains the evidence that it needs (`needs`). A loop is not judged by events that
  it never emits (thinking, previews, ends), unless the contract of its profile requires them.
"""

_ABOUT = {
    "order": "Order and number of tool, turn and end events.",
    "stream": "Text and thinking on their way to the user.",
    "preview": "Code that is shown while the arguments of a call still arrive.",
    "timing": "How soon text, thinking and previews are emitted, in bytes and events of the stream.",
    "reported": "What a loop reports of its calls and of the run: what was done, and nothing else.",
    "guardrail": "The turn limit.",
    "offered": "The prompt and the tools that the loop was given, as the model is offered them.",
    "continuation": "What the provider would refuse. Findings name the provider's own rule, for example `ANT-01`; each "
    "wire has a page of them: [openai-responses](rules/openai-responses.md), [openai-chat](rules/openai-chat.md), "
    "[anthropic-messages](rules/anthropic-messages.md), [gemini-generate](rules/gemini-generate.md), "
    "[text-tags](rules/text-tags.md).",
    "history": "What goes back to the model.",
    "execution": "Which calls may have an effect.",
    "retry": "What is tried again, and how often.",
    "agui": "The protocol AG-UI: the order and the form of its events ([AG-UI](ag-ui.md)).",
    "socket": "What a loop does with its WebSockets ([Responses over WebSocket](websocket.md)).",
    "final": "How a run ends.",
    "caller": "What becomes of what the caller does: a run that is cancelled, a message in between, another run.",
}


def markdown() -> str:
    """The whole catalogue, family by family."""
    parts = [_HEAD]
    for family in FAMILIES:
        rules = [rule for rule in RULES.values() if rule.family == family]
        parts.append(f"## {family}\n\n{_ABOUT[family]}\n")
        parts += [_entry(rule) for rule in rules]
    return "\n".join(parts)


def _entry(rule: Rule) -> str:
    terms = [rule.level, rule.impact, f"needs {_all_of(rule.needs)}"]
    if rule.profiles:
        terms.append(f"profile {', '.join(rule.profiles)}")
    return f"### {rule.id}\n\n{rule.statement}\n\n{rule.why}\n\n*{'; '.join(terms)}. Source: {rule.source}.*\n"


def _all_of(words: Sequence[str]) -> str:
    *before, last = words
    return f"{', '.join(before)} and {last}" if before else last
