"""The judge of the checks of requests: the part of ``harness selftest`` that breaks requests, wire by wire.

Its traces and its broken loops judge the same checks by the way; they take minutes, and are left out.
"""

from __future__ import annotations

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


_STATED = "stated "


class Selftest:
    """Items are wires, and ``stated WIRE`` for what is stated of its requests. The first that fails ends it."""

    command = "harness selftest"

    def preload(self) -> None:
        """Import the SDKs and the libraries that everything needs: nearly all else imports rules."""
        for name in BELOW:
            import_module(name)

    def items(self) -> Sequence[str]:
        """The wires of the harness, the requests of each twice: what is stated of them takes the most time."""
        from harness.wire import OWN_WIRES, wire, wire_rules

        for name in OWN_WIRES:
            wire(name)
        wire_rules()  # what is made once is made before the first item
        return [*OWN_WIRES, *(f"{_STATED}{name}" for name in OWN_WIRES)]

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """All of them: each takes a few seconds."""
        return items

    def run(self, items: Sequence[str], done: Done) -> None:
        """Run the parts in this process."""
        from harness_lab.selftest.mutant_run import Family
        from harness_lab.selftest.requests import requests_of
        from harness_lab.selftest.scope import scope
        from harness_lab.selftest.stated_requests import as_stated

        for item in items:
            name = item.removeprefix(_STATED)
            stated = Family(name, (), (), (as_stated(name),)) if name != item else None
            done(item, _fault(stated or requests_of(item, scope(), stated=False)))


def _fault(family: Family) -> Fault | None:
    from harness_lab.selftest import SelftestSummary

    failures = SelftestSummary.of([family]).failures
    if not failures:
        return None
    return ("error" if all(failure.crash for failure in failures) else "finding"), failures[0].what
