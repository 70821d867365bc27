"""What is wrong is told, whatever it is: an account of trials that were made by hand."""

from __future__ import annotations

from harness_lab.selftest import Family, Found, MutantRun, SelftestSummary

FINDS = (Found("a/b", "MUST", "line 2", "this", "that"),)
ELSE = (Found("c/d", "MUST", "line 3", "this", "that"),)
KILLED = MutantRun("broken", "here", ("a/b",), (), FINDS)
CLEAN = MutantRun("whole", "here")


def family(*mutants: MutantRun, clean: tuple[MutantRun, ...] = (CLEAN,), **members: object) -> Family:
    return Family("things", ("a/b",), mutants or (KILLED,), clean, **members)  # type: ignore[arg-type]


def wrong(family: Family) -> list[str]:
    return [failure.what for failure in SelftestSummary.of([family]).failures]


def test_what_is_as_it_should_be_holds() -> None:
    selftest = SelftestSummary.of([family()])
    assert selftest.passed
    assert not selftest.crashed
    assert selftest.counts == "1 rules: 1 killed; 1 mutants: 0 survived; 1 clean: 0 findings"


def test_a_rule_without_a_mutant_is_told() -> None:
    selftest = SelftestSummary.of([Family("things", ("a/b", "e/f"), (KILLED,), (CLEAN,))])
    (failure,) = selftest.failures
    assert (failure.what, failure.evidence) == (
        "e/f is not killed: it finds no mutant that names it",
        ("no mutant names it",),
    )
    assert selftest.counts.startswith("2 rules: 1 killed")


def test_a_mutant_that_nobody_finds_survives_and_its_rule_is_unproven() -> None:
    selftest = SelftestSummary.of([family(MutantRun("broken", "here", ("a/b",), ()))])
    assert [failure.what for failure in selftest.failures] == [
        "a/b is not killed: it finds no mutant that names it",
        "broken survives on here: not found by a/b",
    ]
    assert selftest.failures[0].evidence == ("mutants that name it: broken",)
    assert selftest.failures[1].evidence == ("nothing is found in it at all",)
    assert "1 mutants: 1 survived" in selftest.counts


def test_a_mutant_that_only_others_find_survives_with_what_they_found() -> None:
    _, failure = SelftestSummary.of([family(MutantRun("broken", "here", ("a/b",), None, ELSE))]).failures
    assert failure.evidence == ("instead: c/d MUST at line 3: expected this; got that",)


def test_a_rule_that_should_be_blind_to_a_mutant_is_told() -> None:
    seen = MutantRun("broken", "here", ("a/b",), (), FINDS + ELSE)
    assert wrong(family(seen)) == ["broken on here is found by rules that it does not name"]
    assert wrong(family(MutantRun("broken", "here", ("a/b",), ("c/d",), FINDS + ELSE))) == []
    assert wrong(family(MutantRun("broken", "here", ("a/b",), ("c/",), FINDS + ELSE))) == []
    assert wrong(family(MutantRun("broken", "here", ("a/b",), None, FINDS + ELSE))) == []


def test_a_mutant_that_is_found_in_one_place_may_survive_in_another() -> None:
    selftest = SelftestSummary.of([family(KILLED, MutantRun("broken", "there", ("a/b",), ()))])
    assert [failure.what for failure in selftest.failures] == ["broken survives on there: not found by a/b"]
    assert "1 rules: 1 killed; 1 mutants: 1 survived" in selftest.counts


def test_findings_on_what_is_clean_are_told() -> None:
    selftest = SelftestSummary.of([family(clean=(CLEAN, MutantRun("other", "there", found=FINDS)))])
    (failure,) = selftest.failures
    assert failure.what == "other on there is clean, and is found"
    assert failure.evidence == ("a/b MUST at line 2: expected this; got that",)
    assert selftest.counts.endswith("2 clean: 1 findings")


def test_a_pair_that_survives_is_told() -> None:
    assert wrong(family(pairs=(MutantRun("one+other", "here", ("a/b", "c/d")),))) == [
        "one+other survives on here: not found by a/b or c/d"
    ]


def test_a_mutant_that_changes_nothing_is_told() -> None:
    selftest = SelftestSummary.of([family(KILLED, MutantRun("idle", "here", ("a/b",), unsound="it changes nothing"))])
    assert [failure.what for failure in selftest.failures] == ["idle proves nothing on here"]
    assert "2 mutants: 1 survived" in selftest.counts


def test_an_allowance_needs_a_variant_that_is_accepted() -> None:
    def told(*accepted: MutantRun) -> list[str]:
        return wrong(family(permitted=("X-01",), accepted=tuple(("X-01", run) for run in accepted)))

    unproven = "X-01 is not proven: no equivalent mutant shows that what it allows is accepted"
    assert told() == [unproven]
    assert told(MutantRun("refused", "here", found=FINDS)) == [unproven]
    assert told(MutantRun("idle", "here", unsound="it changes nothing")) == [unproven]
    assert told(CLEAN) == []


def test_a_crash_is_an_error_of_the_harness_itself() -> None:
    selftest = SelftestSummary.of(
        [family(KILLED, MutantRun("other", "here", ("a/b",), (), crash="Traceback\nTypeError: oops"))]
    )
    assert selftest.crashed
    assert selftest.failures[0].what == "other on here ends in a crash"
    assert selftest.failures[0].evidence[-1] == "TypeError: oops"
