"""What a provider would refuse: each request after a reply, judged by its wire's own rules.

One rule per wire; the statements, the provider's words and the levels of ``ANT-01`` and its like live with the
wires. A finding carries the wire rule's id as its reference, by which it can be selected.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from harness.finding import Finding, line_of
from harness.rules.model import Check, Rule
from harness.rules.trace_view import TraceView
from harness.wire import OWN_WIRES, Demand, WireName, wire, wire_names, wire_of_rule, wires


def reporters(reference: str) -> Iterator[str]:
    """The rules that report a wire rule. A dialect's requests must be valid in its wire, too."""
    name = wire_of_rule(reference)
    spoken = [each.name for each in wires() if name in (each.name, each.dialect_of)]
    return (f"continuation/{each}" for each in spoken)


def _violations(view: TraceView) -> Iterator[Finding]:
    for ask, finding in view.violations:
        yield replace(finding, at=line_of(ask.at))


def _check(name: WireName) -> Check:
    def check(view: TraceView) -> Iterator[Finding]:
        if view.wire.name == name:
            yield from _violations(view)

    return check


def _of(name: WireName) -> Rule:
    demand = wire(name).demand or _accepted_by(name)
    return Rule(
        f"continuation/{name}",
        "MUST",
        demand.impact,
        demand.statement,
        demand.why,
        demand.source,
        _check(name),
        ("exchanges",),
    )


def _accepted_by(name: WireName) -> Demand:
    return Demand(
        f"Every request is one that {name} accepts after what it sent before.",
        "The provider answers HTTP 400 and the run ends; everything that it has cost is lost.",
        f"the rule table of {name}: recorded answers of the provider and its documentation",
    )


def of_own_wires() -> Iterator[Rule]:
    """The rules of the harness's own wires."""
    return map(_of, OWN_WIRES)


def of_added_wires() -> tuple[Rule, ...]:
    """The rules of the wires of other packages. Raises ``BadInput`` where one cannot be loaded."""
    return tuple(_of(name) for name in wire_names() if name not in OWN_WIRES)
