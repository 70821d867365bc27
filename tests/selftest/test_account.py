"""What is wrong is told, whatever it is: an account of trials that were made by hand."""

from __future__ import annotations

from harness_lab.selftest import Account, Family, Found, Trial

FINDS = (Found("a/b", "MUST", "line 2", "this", "that"),)
ELSE = (Found("c/d", "MUST", "line 3", "this", "that"),)
KILLED = Trial("broken", "here", ("a/b",), (), FINDS)
CLEAN = Trial("whole", "here")


def family(*mutants: Trial, clean: tuple[Trial, ...] = (CLEAN,), **members: object) -> Family:
    return Family("things", ("a/b",), mutants or (KILLED,), clean, **members)  # type: ignore[arg-type]


def wrong(family: Family) -> list[str]:
    return [fault.what for fault in Account.of([family]).faults]


def test_what_is_as_it_should_be_holds() -> None:
    account = Account.of([family()])
    assert account.holds
    assert not account.crashed
    assert account.summary == "1 rules: 1 killed; 1 mutants: 0 survived; 1 clean: 0 findings"


def test_a_rule_without_a_mutant_is_told() -> None:
    account = Account.of([Family("things", ("a/b", "e/f"), (KILLED,), (CLEAN,))])
    (fault,) = account.faults
    assert (fault.what, fault.evidence) == (
        "e/f is not killed: it finds no mutant that names it",
        ("no mutant names it",),
    )
    assert account.summary.startswith("2 rules: 1 killed")


def test_a_mutant_that_nobody_finds_survives_and_its_rule_is_unproven() -> None:
    account = Account.of([family(Trial("broken", "here", ("a/b",), ()))])
    assert [fault.what for fault in account.faults] == [
        "a/b is not killed: it finds no mutant that names it",
        "broken survives on here: not found by a/b",
    ]
    assert account.faults[0].evidence == ("mutants that name it: broken",)
    assert account.faults[1].evidence == ("nothing is found in it at all",)
    assert "1 mutants: 1 survived" in account.summary


def test_a_mutant_that_only_others_find_survives_with_what_they_found() -> None:
    _, fault = Account.of([family(Trial("broken", "here", ("a/b",), None, ELSE))]).faults
    assert fault.evidence == ("instead: c/d MUST at line 3: expected this; got that",)


def test_a_rule_that_should_be_blind_to_a_mutant_is_told() -> None:
    seen = Trial("broken", "here", ("a/b",), (), FINDS + ELSE)
    assert wrong(family(seen)) == ["broken on here is found by rules that it does not name"]
    assert wrong(family(Trial("broken", "here", ("a/b",), ("c/d",), FINDS + ELSE))) == []
    assert wrong(family(Trial("broken", "here", ("a/b",), ("c/",), FINDS + ELSE))) == []
    assert wrong(family(Trial("broken", "here", ("a/b",), None, FINDS + ELSE))) == []


def test_a_mutant_that_is_found_in_one_place_may_survive_in_another() -> None:
    account = Account.of([family(KILLED, Trial("broken", "there", ("a/b",), ()))])
    assert [fault.what for fault in account.faults] == ["broken survives on there: not found by a/b"]
    assert "1 rules: 1 killed; 1 mutants: 1 survived" in account.summary


def test_findings_on_what_is_clean_are_told() -> None:
    account = Account.of([family(clean=(CLEAN, Trial("other", "there", found=FINDS)))])
    (fault,) = account.faults
    assert fault.what == "other on there is clean, and is found"
    assert fault.evidence == ("a/b MUST at line 2: expected this; got that",)
    assert account.summary.endswith("2 clean: 1 findings")


def test_a_pair_that_survives_is_told() -> None:
    assert wrong(family(pairs=(Trial("one+other", "here", ("a/b", "c/d")),))) == [
        "one+other survives on here: not found by a/b or c/d"
    ]


def test_a_mutant_that_changes_nothing_is_told() -> None:
    account = Account.of([family(KILLED, Trial("idle", "here", ("a/b",), unsound="it changes nothing"))])
    assert [fault.what for fault in account.faults] == ["idle proves nothing on here"]
    assert "2 mutants: 1 survived" in account.summary


def test_an_allowance_needs_a_variant_that_is_accepted() -> None:
    def told(*allowed: Trial) -> list[str]:
        return wrong(family(allowances=("X-01",), allowed=tuple(("X-01", trial) for trial in allowed)))

    unproven = "X-01 is not proven: no variant shows that what it allows is accepted"
    assert told() == [unproven]
    assert told(Trial("refused", "here", found=FINDS)) == [unproven]
    assert told(Trial("idle", "here", unsound="it changes nothing")) == [unproven]
    assert told(CLEAN) == []


def test_a_crash_is_an_error_of_the_harness_itself() -> None:
    account = Account.of([family(KILLED, Trial("other", "here", ("a/b",), (), crash="Traceback\nTypeError: oops"))])
    assert account.crashed
    assert account.faults[0].what == "other on here ends in a crash"
    assert account.faults[0].evidence[-1] == "TypeError: oops"
