"""What a served scenario expects, as far as requests alone show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.gateway import CaseEndpoint
from harness.runner.findings import missed, unrecorded
from harness.runner.plan import PlannedCase
from harness.runner.serving.automatic import AUTOMATIC
from harness.runner.sources import Opened
from harness.scenario import Expect
from harness.trace import Trace

__all__ = ["not_checked", "unmet"]

_COUNTS: Final = ("turns", "requests")
"""Expectations that hold whatever prompt and tools a loop has."""


def unmet(item: PlannedCase, endpoint: CaseEndpoint, opened: Opened, trace: Trace, *, ended: bool) -> Iterator[Finding]:
    """The requests that no recording answers, and the numbers of requests and turns that are not as expected.

    ``ended``: the loop has come to its end. If it was ended before, too few requests are no mistake of it.
    """
    yield from unrecorded(endpoint, trace)
    counts = missed(item, endpoint, trace) if opened.scripted and (ended or endpoint.overrun) else ()
    yield from (each for each in counts if each.rule in [f"expect/{key}" for key in _COUNTS])


def not_checked(item: PlannedCase, opened: Opened, *, ended: bool) -> str:
    """A note on the expectations of the scenario that serving cannot check; empty where it has none.

    They depend on the scenario's own prompt and tools, and on events: a loop that is served has its own, and reports
    no events.
    """
    checked = _COUNTS if opened.scripted and ended else ()
    left = [key for key in _keys(item.scenario.expect) if key not in checked]
    if not left or item.scenario is AUTOMATIC:
        return ""
    return f"expectations of the scenario that 'harness serve' does not check: {', '.join(left)}"


def _keys(expect: Expect) -> Iterator[str]:
    """Its keys, as its file has them."""
    yield "outcome"
    for key in ("turns", "requests", "events", "final", "error", "sent", "ran", "not_ran"):
        if getattr(expect, key) not in (None, ()):
            yield key
