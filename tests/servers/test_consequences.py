"""A loss at the client and the upstream's complaint about the next request are one cause."""

from __future__ import annotations

from harness.finding import Finding
from harness.servers.rules import causes, every_rule


def at_client(rule: str) -> Finding:
    return every_rule()[rule].broken("here", expected="a", got="b")


def at_upstream(rule: str, level: str = "MUST") -> Finding:
    return Finding("continuation", level, "invalid", None, "a", "b", reference=rule)  # type: ignore[arg-type]


def summary(client: list[Finding], upstream: list[Finding]) -> list[tuple[str, list[str]]]:
    return [(each.finding.id, [one.id for one in each.consequences]) for each in causes(client, upstream)]


def test_a_lost_signature_has_the_refusal_of_the_thinking_for_its_consequence() -> None:
    assert summary([at_client("SX-SIG")], [at_upstream("ANT-15")]) == [("SX-SIG", ["ANT-15"])]


def test_the_gravest_finding_is_the_cause() -> None:
    found = summary([at_client("SX-USAGE"), at_client("SX-THINK"), at_client("SX-SIG")], [at_upstream("GEM-08")])
    assert found == [("SX-SIG", ["GEM-08"]), ("SX-USAGE", []), ("SX-THINK", [])]


def test_the_same_rule_at_several_places_is_one_cause() -> None:
    assert summary([at_client("SX-ID"), at_client("SX-ID")], []) == [("SX-ID", ["SX-ID"])]


def test_a_complaint_that_nothing_explains_is_a_cause() -> None:
    assert summary([at_client("SX-USAGE")], [at_upstream("ANT-15")]) == [("ANT-15", []), ("SX-USAGE", [])]


def test_nothing_is_no_cause() -> None:
    assert summary([], []) == []
