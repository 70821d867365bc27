"""The subject of a rule about requests, so that a provider's rule and ours about the same thing are one cause.

The rules of the wires and the rules of the family ``history`` state the same in their own words: a call without its
result breaks ``OAC-03`` on one wire, ``ANT-01`` on another, and ``history/results`` on all of them. ``WireRule.about``
names the subjects of a wire's rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from harness.finding import Finding
from harness.wire import Subject, subjects_of

RESULTS: Final = "results"
"""Which results answer which calls, and their positions."""

HISTORY: Final[Mapping[Subject, tuple[str, ...]]] = {
    RESULTS: (
        *("history/results", "history/no-other-results", "history/result-after-call"),
        *("history/results-first", "history/result-order", "history/result-name"),
    ),
    "thinking": ("history/model-thinking",),
    "words": ("history/append-only", "history/model-text", "history/model-calls", "history/model-order"),
}
"""The harness's own rules by their subjects."""


_MEMBERS: Final[Mapping[str, str]] = {
    **dict.fromkeys(("messages", "input", "contents", "turns"), "messages"),
    **dict.fromkeys(("system", "instructions", "system_instruction", "systemInstruction"), "prompt"),
    **dict.fromkeys(("tools", "tool_choice", "toolConfig", "functions"), "tools"),
}
_OF_TOOLS: Final = frozenset({"history/tools", "offered/tools", "offered/schema", "offered/description"})


def member(finding: Finding) -> str:
    """The member of the request that a finding is about, in words that no wire owns; empty if there is none, or if it
    is not known."""
    if finding.rule in _OF_TOOLS:
        return "tools"
    if finding.rule.partition("/")[0] == "history":
        return "messages"
    if not finding.rule.startswith("continuation/") or finding.provider is None:
        return ""
    name = re.split(r"[.\[]", finding.provider.place, maxsplit=1)[0]
    return _MEMBERS.get(name, name)


def apart(one: Finding, other: Finding) -> bool:
    """Whether two findings are about different members of a request, so that neither follows from the other."""
    return bool(member(one) and member(other)) and member(one) != member(other)


@cache
def subjects(rule: str) -> frozenset[Subject]:
    """The subjects that a rule shares with rules of the family ``history``; empty if it shares none."""
    about = subjects_of(rule)
    return frozenset(subject for subject, own in HISTORY.items() if subject in about or rule in own)
