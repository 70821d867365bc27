"""The judge of the checks of requests: ``harness selftest``, part by part, ended at the first part that fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from harness_lab.mutation.judging import Done, Fault

if TYPE_CHECKING:
    from harness_lab.selftest import Family

__all__ = ["BELOW", "Selftest"]

BELOW = (
    "openai",
    "anthropic",
    "google.genai",
    "httpx2",
    "PIL.Image",
    "pydantic",
    "jsonschema",
    "jsonschema_rs",
    "yaml",
)
"""Libraries that everything needs, and that import no rule."""

_RULE = "rule "
_NEAR = 8


class Selftest:
    """Items are ``rule ID MODULE``, which is ``harness selftest --quick --rule ID``, then the families: wires, traces,
    loops.

    What a rule alone finds, its family finds, too. So these items say nothing more, but they say it in less time.
    """

    command = "harness selftest"

    def preload(self) -> None:
        """Import the SDKs and the libraries that everything needs: nearly all else imports rules."""
        for name in BELOW:
            import_module(name)

    def items(self) -> Sequence[str]:
        """The rules, then the families, those that take longest at the end."""
        from harness.rules import RULES
        from harness.wire import WIRES, wire, wire_rules

        for name in WIRES:
            wire(name)
        wire_rules()  # what is made once is made before the first item
        return [*(f"{_RULE}{name} {rule.check.__module__}" for name, rule in RULES.items()), *WIRES, "traces", "loops"]

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:
        """The rules of this module, or a few others if it has none, then the families."""
        rules = [item for item in items if item.startswith(_RULE)]
        near = [item for item in rules if item.endswith(f" {module}")] or rules[:: len(rules) // _NEAR + 1]
        return [*near, *(item for item in items if not item.startswith(_RULE))]

    def run(self, items: Sequence[str], done: Done) -> None:
        """Run the parts in this process."""
        for item in items:
            done(item, _fault(_family(item)))


def _family(item: str) -> Family:
    from harness.wire import WIRES
    from harness_lab.selftest.loops import loops
    from harness_lab.selftest.requests import requests_of
    from harness_lab.selftest.scope import scope
    from harness_lab.selftest.traces import traces

    if item.startswith(_RULE):
        return asyncio.run(traces(scope([item.split()[1]], loops=False)))
    if item in WIRES:
        return requests_of(item, scope())
    return asyncio.run({"traces": traces, "loops": loops}[item](scope()))


def _fault(family: Family) -> Fault | None:
    from harness_lab.selftest import SelftestSummary

    failures = SelftestSummary.of([family]).failures
    if not failures:
        return None
    return ("error" if all(failure.crash for failure in failures) else "finding"), failures[0].what
