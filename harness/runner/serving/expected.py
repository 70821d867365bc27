"""The expectations of a served scenario that requests alone can prove wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from harness.endpoint import CaseEndpoint
from harness.finding import Finding
from harness.runner.findings import missed, unrecorded
from harness.runner.plan import PlannedCase
from harness.runner.sources import Opened
from harness.scenario import Expect, Scenario
from harness.scenario.model import OfferedExpect
from harness.trace import Trace

_COUNTS: Final = ("turns", "requests")
"""Expectations that are independent of a loop's prompt and tools."""

_CHECKED: Final = (*_COUNTS, "offered")
_RULES: Final = frozenset(f"expect/{key}" for key in _CHECKED)


def unmet(item: PlannedCase, endpoint: CaseEndpoint, opened: Opened, trace: Trace, *, ended: bool) -> Iterator[Finding]:
    """Findings about requests that no recording answers, about unexpected numbers of requests and turns, and about the
    loop's own tools if they are not offered as expected.

    ``ended``: the loop has reached its end. If it was stopped before, too few requests are not its mistake.
    """
    yield from unrecorded(endpoint, trace)
    if not opened.scripted or not (ended or endpoint.overrun):
        return
    for each in missed(_as_served(item), endpoint, trace):
        if each.rule in _RULES:
            yield each


def _as_served(item: PlannedCase) -> PlannedCase:
    """The case without expectations about tools that only the scenario has."""
    scenario = item.scenario
    own = _of_own_tools(scenario)
    if own == scenario.expect.offered:
        return item
    return replace(item, scenario=replace(scenario, expect=replace(scenario.expect, offered=own)))


def _of_own_tools(scenario: Scenario) -> tuple[OfferedExpect, ...]:
    """The expectations about tools that the loop itself brings; it did not get the tools of the file."""
    names = {tool.declaration.name for tool in scenario.tools}
    own = (
        replace(
            each,
            tools=tuple(name for name in each.tools if name not in names),
            lacks=tuple(name for name in each.lacks if name not in names),
        )
        for each in scenario.expect.offered
    )
    return tuple(each for each in own if each.tools or each.lacks)


def not_checked(item: PlannedCase, opened: Opened, *, ended: bool) -> str:
    """A note on expectations of the scenario that serving cannot check; empty if there are none.

    They depend on the scenario's prompt and tools, or on events. A served loop has its own prompt and tools, and
    reports no events.
    """
    whole = _of_own_tools(item.scenario) == item.scenario.expect.offered
    checked = (_CHECKED if whole else _COUNTS) if opened.scripted and ended else ()
    left = [key for key in _keys(item.scenario.expect) if key not in checked]
    if not left or not item.scenario.path.name:  # the automatic model is in no file
        return ""
    return f"expectations of the scenario that 'harness serve' does not check: {', '.join(left)}"


def _keys(expect: Expect) -> Iterator[str]:
    """The keys of an expectation, as in its file."""
    yield "outcome"
    keys = ("turns", "requests", "events", "final", "error", "sent", "ran", "not_ran", "offered", "reported", "results")
    for key in keys:
        if getattr(expect, key) not in (None, ()):
            yield key
