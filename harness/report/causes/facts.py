"""Decides whether two rules report one fact: about the same call, the same turn, or the same entry of one request."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from typing import Final

from harness.finding import Finding
from harness.report.causes.subjects import RESULTS, subjects

INPUT: Final = frozenset({"execution/model-arguments", "reported/input", "preview/start-input"})
"""Rules about the arguments that a call ran on, or was reported to run on."""

OTHER_RESULTS: Final = frozenset({"history/result-value", "history/own-result"})
"""A result goes back that is not the one of its call."""

_OF_THE_RUN: Final = frozenset({"order", "execution", "preview", "reported"})
"""Families that say how a call ran, or was reported."""

_OF_THE_NAME: Final = frozenset({"order/tool-name", "history/result-name"})
_CALLED: Final = frozenset({"order/tool-name", "history/model-calls"})
_ORDER: Final = "history/model-order"
_ORDERED: Final = frozenset({"history/model-calls", "history/own-result", "history/result-order"})
_TURN: Final = tuple(
    frozenset({"history/model-calls", each}) for each in ("history/model-text", "history/model-thinking")
)
_TEXT: Final = frozenset({"stream/text", "final/text", "final/thinking"})
_BROKEN_OFF: Final = frozenset({"stream/text", "final/reported"})
_ENDS: Final = frozenset({"order/one-end", "order/nothing-after-end"})
_NOTHING: Final = frozenset({"it was not sent back", '""', "none"})
_CONTENT: Final = (".output", ".content", ".response")
_RENAMED: Final = re.compile(r"the call's id |a call of '(.+)'$")
_ENTRY: Final = re.compile(r"(\w+)[.\[](\d+)")


def one_fact(one: Finding, other: Finding, names: Collection[str]) -> bool:
    """Whether two findings of one conversation report one fact. ``names``: the tools and the calls of the case."""
    both = frozenset({one.rule, other.rule})
    if both <= INPUT or both <= _TEXT:
        return one.got == other.got or (one.at == other.at and both <= INPUT)
    if both == _ENDS:
        return True
    if _answers_differ(one, other):
        return False
    if both == _CALLED:
        return one.got in other.got or other.got in one.got
    if both == _BROKEN_OFF:
        return any(each.got.startswith("error ") for each in (one, other))
    if one.at == other.at and _of_one_request(one, other, both):
        return True
    return _of_one_call(one, other, both) and bool(_calls(one, names) & _calls(other, names))


def _answers_differ(one: Finding, other: Finding) -> bool:
    return None not in (one.answer, other.answer) and one.answer != other.answer


def _of_one_request(one: Finding, other: Finding, both: frozenset[str]) -> bool:
    """Whether both report that a turn is missing, twice, or in another order, or that an entry is wrong."""
    if both in _TURN:
        return _times(one) == _times(other) != 1
    if _ORDER in both:
        return bool(both & _ORDERED) or "another order" in (one.got, other.got)
    either = ((one, other), (other, one))
    return any(_is_moved(*each) or _is_renamed(*each) or _has_no_form(*each) for each in either) or _of_one_entry(
        one, other
    )


def _times(finding: Finding) -> int:
    """How often a text or a call of the model is in its turn, if that can be known: 0, 1, or 2 for more."""
    text = finding.expected.partition('"')[2][:-1]
    twice = finding.got.startswith("also ") or (text and finding.got == f'"{text}{text}"')
    return 0 if finding.got in _NOTHING else 2 if twice else 1


def _is_moved(text: Finding, thinking: Finding) -> bool:
    """Whether a turn has a text that the model did not say, and lacks what the model thought."""
    invented = text.rule == "history/model-text" and text.expected.endswith('""')
    return invented and "thinking" in subjects(thinking.id)


def _is_renamed(call: Finding, other: Finding) -> bool:
    """Whether a call goes back under another id or name, so that its result is not found, or answers no call."""
    renamed = _RENAMED.match(call.expected)
    if call.rule != "history/model-calls" or not renamed or RESULTS not in subjects(other.id):
        return False
    name = renamed[1] or call.got
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", f"{other.expected} | {other.got}") is not None


def _has_no_form(result: Finding, form: Finding) -> bool:
    """Whether a result has another type than the provider demands, so that its value is not read from it."""
    return result.rule in OTHER_RESULTS and not subjects(form.id) and form.answered.place.endswith(_CONTENT)


def _of_one_entry(one: Finding, other: Finding) -> bool:
    """Whether a provider names the same place in both, or one rejects the role of an entry, so that the other does not
    find what it looks for."""
    if one.answered.place and one.answered.place == other.answered.place:
        return True
    places = [_ENTRY.match(each.answered.place) for each in (one, other)]
    if None in places or not any(each.expected.startswith("role ") for each in (one, other)):
        return False
    (list_of, at), (other_list, other_at) = (each.groups() for each in places if each)
    return list_of == other_list and abs(int(at) - int(other_at)) <= 1


def _of_one_call(one: Finding, other: Finding, both: frozenset[str]) -> bool:
    """Whether both rules are about how a call ran, or about whether it and its result went back."""
    if all(each.partition("/")[0] in _OF_THE_RUN for each in both) or both == _OF_THE_NAME:
        return True
    return one.at == other.at and all(map(_goes_back, (one, other)))


def _goes_back(finding: Finding) -> bool:
    own = finding.rule in ("history/model-calls", "order/tool-result-reported")
    return own or RESULTS in subjects(finding.id)


def _calls(finding: Finding, names: Collection[str]) -> set[str]:
    """The calls that a finding names. The name of a tool is in quotes, in parentheses, or before the name of a call."""
    pattern = _pattern_of_names(tuple(sorted(names, key=len, reverse=True)))
    return set(pattern.findall(f"{finding.expected} | {finding.got}")) if names else set()


@cache
def _pattern_of_names(names: tuple[str, ...]) -> re.Pattern[str]:
    some = "|".join(map(re.escape, filter(None, names))) or r"(?!)"
    return re.compile(rf"""(?<![\w('"-])(?:{some})(?![\w-])(?! (?:{some}))""")
