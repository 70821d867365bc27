"""The marks of a case, so that ``-m`` can choose by wire, profile and family of rules."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from harness.rules import FAMILIES
from harness.rules.limit import LONGEST
from harness.runner.plan import PlannedCase
from harness.scenario import PROFILES, HttpErrorStep, Scenario, Step
from harness.trace import Case
from harness.wire import Call, wire_names

_SCENARIO: Final = "harness_scenario"


def _mark(kind: str, name: str) -> str:
    """A plain name: an expression of ``-m`` does not allow all characters of our own names."""
    return f"harness_{kind}_{name.replace('-', '_')}"


MARKS: Final[Mapping[str, str]] = {
    _SCENARIO: "a case of a scenario file",
    **{_mark("wire", wire): f"a case on the wire {wire}" for wire in wire_names()},
    **{_mark("profile", profile): f"a case of the profile {profile}" for profile in PROFILES},
    **{_mark("rule", family): f"a case that rules of the family {family} can say something of" for family in FAMILIES},
}
"""The meaning of each mark."""


def marks(planned: PlannedCase) -> Iterator[str]:
    """The marks of a case."""
    yield _SCENARIO
    yield _mark("wire", planned.case.wire)
    yield _mark("profile", planned.case.profile)
    silent = _silent(planned.case, planned.scenario)
    yield from (_mark("rule", family) for family in FAMILIES if not silent.get(family, False))


def _silent(case: Case, scenario: Scenario) -> Mapping[str, bool]:
    """Which families can find nothing in the case, whatever the loop does."""
    called = {call.name for step in scenario.steps for call in _calls(step)}
    pages = {tool.declaration.name for tool in scenario.tools if tool.canonical}
    return {
        "preview": not called & pages and not any(_has_pairs(step) for step in scenario.steps),
        "execution": not called,
        "guardrail": case.turn_limit is None and len(scenario.steps) <= LONGEST,
        "history": len(scenario.steps) < 2,
        "socket": not case.transport,
        "retry": not called and not any(_fails(step) for step in scenario.steps),
    }


def _calls(step: Step) -> tuple[Call, ...]:
    return () if isinstance(step, HttpErrorStep) else step.turn.calls


def _has_pairs(step: Step) -> bool:
    """Whether a text of the turn has characters of two halves, so that a loop could show one half."""
    parts = () if isinstance(step, HttpErrorStep) else step.turn.parts
    texts = [part.arguments if isinstance(part, Call) else part.text for part in parts]
    return any("\ud800" <= char <= "\udfff" or char > "\uffff" for char in "".join(texts))


def _fails(step: Step) -> bool:
    if isinstance(step, HttpErrorStep):
        return True
    return step.cut is not None or step.turn.error is not None or step.turn.ending != "complete"
