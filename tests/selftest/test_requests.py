"""Wire rules under the selftest: it fails where a check, a mutant, a variant or a specimen is not what it should be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import pytest

from harness.finding import Finding
from harness.wire import Call, Conversation, ErrorTemplate, FinishReason, IssuedState, Turn, WireRule, wire
from harness_lab.mutants.requests import BaseRequest, EquivalentRequest, Posted, RequestMutant
from harness_lab.selftest import Family, SelftestSummary, scope
from harness_lab.selftest import requests as judged
from harness_lab.selftest.requests import requests_of

Check = Callable[[Conversation, IssuedState], list[Finding]]

RULE = WireRule(
    "OAC-03", "Every call is answered.", "It is refused.", "certain", ("docs",), (ErrorTemplate("no", name="usual"),)
)
ALLOWANCE = WireRule("OAC-12", "Names may be long.", "Nobody minds.", "certain", ("docs",), permits=True)

LOOK, READ = Call("list_files", '{"path": "src"}'), Call("read_file", '{"path": "src/app.py"}')
ONE_CALL = BaseRequest("small-one-call", "openai-chat", "gpt-4.1", (Turn((READ,), FinishReason.TOOL_CALLS),))
TWO_CALLS = BaseRequest("small-two-calls", "openai-chat", "gpt-4.1", (Turn((LOOK, READ), FinishReason.TOOL_CALLS),))


def forget(posted: Posted) -> bool:
    """The last result is not sent."""
    if posted.body["messages"][-1]["role"] != "tool":
        return False
    del posted.body["messages"][-1]
    return True


def name_user(posted: Posted) -> bool:
    posted.body["user"] = "somebody"
    return True


FORGOTTEN = RequestMutant("forgotten", "A result is not sent.", ("OAC-03",), forget, (TWO_CALLS,))
NAMED = EquivalentRequest("named", "The user has a name.", ("OAC-12",), name_user, (ONE_CALL,))


def refused(conversation: Conversation, sent: IssuedState) -> list[Finding]:
    """The one rule of a small wire: a call without its result."""
    answered = {result.id for message in conversation.messages for result in message.results}
    calls = [call for message in conversation.messages for call in message.calls if call.id not in answered]
    return [RULE.broken("messages", expected="a result", got=call.id or "none") for call in calls[:1]]


class SmallWire:
    """Chat with another table of rules and other checks."""

    def __init__(self) -> None:
        self.rules: tuple[WireRule, ...] = (RULE, ALLOWANCE)
        self.violations: Check = refused

    def __getattr__(self, name: str) -> Any:
        return getattr(wire("openai-chat"), name)


@dataclass
class Bench:
    """A wire with one rule, one allowance, one mutant and one variant, for tests to spoil one of."""

    wire: SmallWire
    mutants: tuple[RequestMutant, ...] = (FORGOTTEN,)
    variants: tuple[EquivalentRequest, ...] = (NAMED,)

    def family(self) -> Family:
        return requests_of("openai-chat", scope(), stated=False)

    def wrong(self) -> list[str]:
        return [failure.what for failure in SelftestSummary.of([self.family()]).failures]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(SmallWire())
    monkeypatch.setattr("harness_lab.selftest.requests.wire", lambda _: bench.wire)
    playing = import_module("harness.wire.played")
    monkeypatch.setattr(playing, "wire", lambda _: bench.wire)
    monkeypatch.setattr(judged, "base_requests", lambda _: (ONE_CALL, TWO_CALLS))
    monkeypatch.setattr(judged, "mutants", lambda _: bench.mutants)
    monkeypatch.setattr(judged, "equivalents", lambda _: bench.variants)
    return bench


def test_a_rule_with_its_mutant_and_its_variant_holds(bench: Bench) -> None:
    family = bench.family()
    assert SelftestSummary.of([family]).passed
    assert (family.rules, family.permitted) == (("OAC-03",), ("OAC-12",))
    assert family.kills == {"OAC-03": ("forgotten",)}
    assert [run.on for run in family.mutants] == [TWO_CALLS.name, ONE_CALL.name], "it is tried on every specimen"
    assert [run.name for run in family.clean] == [ONE_CALL.name, TWO_CALLS.name, "named"]


def test_a_check_that_was_emptied_leaves_its_rule_unkilled(bench: Bench) -> None:
    bench.wire.violations = lambda conversation, sent: []
    assert bench.wrong() == [
        "OAC-03 is not killed: it finds no mutant that names it",
        f"forgotten survives on {TWO_CALLS.name}: not found by OAC-03",
        f"forgotten survives on {ONE_CALL.name}: not found by OAC-03",
    ]


def test_a_rule_that_always_speaks_is_found_on_what_is_clean(bench: Bench) -> None:
    bench.wire.violations = lambda conversation, sent: [
        RULE.broken("model", expected="another", got="this", certainty="inferred")
    ]
    family = bench.family()
    assert [len(run.found) for run in family.clean[:2]] == [1, 1]
    assert "breaks OAC-03 at model" in family.clean[0].found[0].got
    assert f"{ONE_CALL.name} on all its requests is clean, and is found" in bench.wrong()


def test_a_rule_that_speaks_of_answered_calls_is_found_on_a_variant(bench: Bench) -> None:
    def named_users(conversation: Conversation, sent: IssuedState) -> list[Finding]:
        named = [RULE.broken("user", expected="none", got="one")] if "user" in conversation.body else []
        return refused(conversation, sent) + named

    bench.wire.violations = named_users
    assert bench.wrong() == [
        "OAC-12 is not proven: no equivalent mutant shows that what it allows is accepted",
        f"named on {ONE_CALL.name} is clean, and is found",
    ]


@pytest.mark.parametrize(
    ("allows", "status", "found"), [(("OAC-12",), 400, 0), (("OAC-03",), 400, 1), (("OAC-03",), 200, 0)]
)
def test_what_is_accepted_may_still_be_told_as_info(
    bench: Bench, allows: tuple[str, ...], status: int, found: int
) -> None:
    def told(conversation: Conversation, sent: IssuedState) -> list[Finding]:
        inferred = RULE.broken("user", expected="none", got="one", certainty="inferred")
        inferred = replace(inferred, provider=replace(inferred.answered, status=status))
        return [inferred] * ("user" in conversation.body)

    bench.wire.violations = told
    bench.variants = (replace(NAMED, allows=allows),)
    assert len(bench.family().clean[-1].found) == found


def test_a_mutant_that_changes_nothing_proves_nothing(bench: Bench) -> None:
    bench.mutants = (FORGOTTEN, replace(FORGOTTEN, name="idle", edit=lambda posted: True))
    (failure,) = SelftestSummary.of([bench.family()]).failures
    assert (failure.what, failure.evidence) == (f"idle proves nothing on {TWO_CALLS.name}", ("it changes nothing",))


def test_the_first_specimen_belongs_to_the_first_rule(bench: Bench) -> None:
    bench.mutants = (replace(FORGOTTEN, rules=("OAC-99", "OAC-03")),)
    assert bench.wrong() == [
        f"forgotten survives on {TWO_CALLS.name}: not found by OAC-99",
    ]


def test_a_check_that_raises_is_a_crash_of_that_mutant_alone(bench: Bench) -> None:
    def raising(conversation: Conversation, sent: IssuedState) -> list[Finding]:
        if conversation.messages[-1].role == "assistant":
            raise TypeError("oops")
        return refused(conversation, sent)

    bench.wire.violations = raising
    selftest = SelftestSummary.of([bench.family()])
    assert selftest.crashed
    assert [failure.what for failure in selftest.failures if failure.crash] == [
        f"forgotten on {ONE_CALL.name} ends in a crash"
    ]
    assert selftest.failures[-1].evidence[-1] == "TypeError: oops"


def test_two_mistakes_at_once_are_still_found(bench: Bench) -> None:
    bench.mutants = (FORGOTTEN, replace(FORGOTTEN, name="forgotten-too"))
    (pair,) = bench.family().pairs
    assert (pair.name, pair.on) == ("forgotten+forgotten-too", TWO_CALLS.name)
    assert pair.killers == {"OAC-03"}


def test_mistakes_that_cannot_be_made_together_are_no_pair(bench: Bench) -> None:
    bench.mutants = (
        replace(FORGOTTEN, base_requests=(ONE_CALL,)),
        replace(FORGOTTEN, name="forgotten-too", base_requests=(ONE_CALL,)),
    )
    assert bench.family().pairs == (), "there is one result to forget"


def test_the_order_of_members_is_a_difference(bench: Bench) -> None:
    def turn_around(posted: Posted) -> bool:
        posted.body = dict(reversed(posted.body.items()))
        return True

    bench.variants = (NAMED, replace(NAMED, name="turned-around", edit=turn_around))
    assert bench.wrong() == []
