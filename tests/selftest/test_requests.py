"""Wire rules under the selftest: it fails where a check, a mutant, a variant or a specimen is not what it should be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import pytest

from harness.wire import Call, Conversation, ErrorTemplate, FinishReason, IssuedState, Turn, Violation, WireRule, wire
from harness_lab.mutants.requests import Posted, RequestMutant, RequestVariant, Specimen
from harness_lab.selftest import Account, Family, scope
from harness_lab.selftest import requests as judged
from harness_lab.selftest.requests import requests_of

Check = Callable[[Conversation, IssuedState], list[Violation]]

RULE = WireRule(
    "OAC-03", "Every call is answered.", "It is refused.", "C", ("docs",), (("usual", ErrorTemplate("no")),)
)
ALLOWANCE = WireRule("OAC-12", "Names may be long.", "Nobody minds.", "C", ("docs",), allowance=True)

LOOK, READ = Call("list_files", '{"path": "src"}'), Call("read_file", '{"path": "src/app.py"}')
ONE_CALL = Specimen("small-one-call", "openai-chat", "gpt-4.1", (Turn((READ,), FinishReason.TOOL_CALLS),))
TWO_CALLS = Specimen("small-two-calls", "openai-chat", "gpt-4.1", (Turn((LOOK, READ), FinishReason.TOOL_CALLS),))


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
NAMED = RequestVariant("named", "The user has a name.", ("OAC-12",), name_user, (ONE_CALL,))


def refused(conversation: Conversation, sent: IssuedState) -> list[Violation]:
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
    variants: tuple[RequestVariant, ...] = (NAMED,)

    def family(self) -> Family:
        return requests_of("openai-chat", scope())

    def wrong(self) -> list[str]:
        return [fault.what for fault in Account.of([self.family()]).faults]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Bench:
    bench = Bench(SmallWire())
    monkeypatch.setattr("harness_lab.selftest.requests.wire", lambda _: bench.wire)
    playing = import_module("harness_lab.mutants.requests.specimens")  # the package has a function of this name
    monkeypatch.setattr(playing, "wire", lambda _: bench.wire)
    monkeypatch.setattr(judged, "specimens", lambda _: (ONE_CALL, TWO_CALLS))
    monkeypatch.setattr(judged, "mutants", lambda _: bench.mutants)
    monkeypatch.setattr(judged, "variants", lambda _: bench.variants)
    return bench


def test_a_rule_with_its_mutant_and_its_variant_holds(bench: Bench) -> None:
    family = bench.family()
    assert Account.of([family]).holds
    assert (family.rules, family.allowances) == (("OAC-03",), ("OAC-12",))
    assert family.kills == {"OAC-03": ("forgotten",)}
    assert [trial.on for trial in family.mutants] == [TWO_CALLS.name, ONE_CALL.name], "it is tried on every specimen"
    assert [trial.name for trial in family.clean] == [ONE_CALL.name, TWO_CALLS.name, "named"]


def test_a_check_that_was_emptied_leaves_its_rule_unkilled(bench: Bench) -> None:
    bench.wire.violations = lambda conversation, sent: []
    assert bench.wrong() == [
        "OAC-03 is not killed: it finds no mutant that names it",
        f"forgotten survives on {TWO_CALLS.name}: not found by OAC-03",
        f"forgotten survives on {ONE_CALL.name}: not found by OAC-03",
    ]


def test_a_rule_that_always_speaks_is_found_on_what_is_clean(bench: Bench) -> None:
    bench.wire.violations = lambda conversation, sent: [RULE.broken("model", expected="another", got="this", level="I")]
    family = bench.family()
    assert [len(trial.found) for trial in family.clean[:2]] == [1, 1]
    assert "breaks OAC-03 at model" in family.clean[0].found[0].got
    assert f"{ONE_CALL.name} on all its requests is clean, and is found" in bench.wrong()


def test_a_rule_that_speaks_of_answered_calls_is_found_on_a_variant(bench: Bench) -> None:
    def named_users(conversation: Conversation, sent: IssuedState) -> list[Violation]:
        named = [RULE.broken("user", expected="none", got="one")] if "user" in conversation.body else []
        return refused(conversation, sent) + named

    bench.wire.violations = named_users
    assert bench.wrong() == [
        "OAC-12 is not proven: no variant shows that what it allows is accepted",
        f"named on {ONE_CALL.name} is clean, and is found",
    ]


@pytest.mark.parametrize(
    ("allows", "status", "found"), [(("OAC-12",), 400, 0), (("OAC-03",), 400, 1), (("OAC-03",), 200, 0)]
)
def test_what_is_accepted_may_still_be_told_as_info(
    bench: Bench, allows: tuple[str, ...], status: int, found: int
) -> None:
    def told(conversation: Conversation, sent: IssuedState) -> list[Violation]:
        inferred = replace(RULE.broken("user", expected="none", got="one", level="I"), status=status)
        return [inferred] * ("user" in conversation.body)

    bench.wire.violations = told
    bench.variants = (replace(NAMED, allows=allows),)
    assert len(bench.family().clean[-1].found) == found


def test_a_mutant_that_changes_nothing_proves_nothing(bench: Bench) -> None:
    bench.mutants = (FORGOTTEN, replace(FORGOTTEN, name="idle", edit=lambda posted: True))
    (fault,) = Account.of([bench.family()]).faults
    assert (fault.what, fault.evidence) == (f"idle proves nothing on {TWO_CALLS.name}", ("it changes nothing",))


def test_the_first_specimen_belongs_to_the_first_rule(bench: Bench) -> None:
    bench.mutants = (replace(FORGOTTEN, rules=("OAC-99", "OAC-03")),)
    assert bench.wrong() == [
        f"forgotten survives on {TWO_CALLS.name}: not found by OAC-99",
    ]


def test_a_check_that_raises_is_a_crash_of_that_mutant_alone(bench: Bench) -> None:
    def raising(conversation: Conversation, sent: IssuedState) -> list[Violation]:
        if conversation.messages[-1].role == "assistant":
            raise TypeError("oops")
        return refused(conversation, sent)

    bench.wire.violations = raising
    account = Account.of([bench.family()])
    assert account.crashed
    assert [fault.what for fault in account.faults if fault.crash] == [f"forgotten on {ONE_CALL.name} ends in a crash"]
    assert account.faults[-1].evidence[-1] == "TypeError: oops"


def test_two_mistakes_at_once_are_still_found(bench: Bench) -> None:
    bench.mutants = (FORGOTTEN, replace(FORGOTTEN, name="forgotten-too"))
    (pair,) = bench.family().pairs
    assert (pair.name, pair.on) == ("forgotten+forgotten-too", TWO_CALLS.name)
    assert pair.killers == {"OAC-03"}


def test_mistakes_that_cannot_be_made_together_are_no_pair(bench: Bench) -> None:
    bench.mutants = (
        replace(FORGOTTEN, specimens=(ONE_CALL,)),
        replace(FORGOTTEN, name="forgotten-too", specimens=(ONE_CALL,)),
    )
    assert bench.family().pairs == (), "there is one result to forget"


def test_the_order_of_members_is_a_difference(bench: Bench) -> None:
    def turn_around(posted: Posted) -> bool:
        posted.body = dict(reversed(posted.body.items()))
        return True

    bench.variants = (NAMED, replace(NAMED, name="turned-around", edit=turn_around))
    assert bench.wrong() == []
