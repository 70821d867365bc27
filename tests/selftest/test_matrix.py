"""The matrix as files: everything that was judged is in it, and nothing that changes from run to run but the head."""

from __future__ import annotations

import json

import pytest

from harness.wire import wire
from harness_lab.selftest import Family, Found, MutantRun, SelftestSummary
from harness_lab.selftest.matrix import as_json, as_markdown

HEAD = {"harness": "0", "started": "then"}
FOUND = (Found("OAC-03", "MUST", "messages[3]", "a result", "none"), Found("OAC-99", "INFO", "", "", ""))
MUTANTS = (
    MutantRun("forgotten", "one-call", ("OAC-03",), found=FOUND, summary="A result is missing."),
    MutantRun("forgotten", "two-calls", ("OAC-03",), found=FOUND[:1], summary="A result is missing."),
    *(MutantRun(f"idle-{number}", "one-call", ("OAC-03",), summary="Nothing.") for number in range(2, 12)),
)
ACCEPTED = MutantRun("long-names", "one-call", summary="Names are long.")
FAMILY = Family(
    "openai-chat",
    ("OAC-03", "OAC-05"),
    MUTANTS,
    (ACCEPTED,),
    (MutantRun("forgotten+idle-2", "one-call", ("OAC-03",), found=FOUND[:1]),),
    ("OAC-12",),
    (("OAC-12", ACCEPTED),),
)


@pytest.fixture
def selftest() -> SelftestSummary:
    return SelftestSummary.of([FAMILY])


def test_programs_get_every_trial(selftest: SelftestSummary) -> None:
    written = json.loads(json.dumps(as_json(selftest, HEAD)))
    assert {name: written[name] for name in ("format", "harness", "started")} == {"format": 1, **HEAD}
    (family,) = written["families"]
    assert family["allowances"] == {"OAC-12": ["long-names"]}
    assert family["kills"] == {"OAC-03": ["forgotten"], "OAC-05": [], "OAC-99": ["forgotten"]}
    assert family["mutants"][0] == {
        "name": "forgotten",
        "summary": "A result is missing.",
        "rules": ["OAC-03"],
        "trials": [{"on": "one-call", "found": ["OAC-03", "OAC-99"]}, {"on": "two-calls", "found": ["OAC-03"]}],
    }
    assert family["pairs"] == [{"name": "forgotten+idle-2", "on": "one-call", "found": ["OAC-03"]}]
    assert family["clean"] == [{"name": "long-names", "on": "one-call", "found": []}]
    assert [failure["what"] for failure in written["faults"]] == [failure.what for failure in selftest.failures]


def test_people_get_rules_with_their_mutants(selftest: SelftestSummary) -> None:
    page = as_markdown(selftest, HEAD).splitlines()
    unanswered = next(rule.statement for rule in wire("openai-chat").rules if rule.id == "OAC-03")
    assert f"| OAC-03 | {unanswered} | forgotten |" in page
    assert any(line.startswith("| OAC-05 |") and line.endswith("| **nothing** |") for line in page)
    assert any(line.startswith("| OAC-12 |") and line.endswith("| accepts long-names |") for line in page)
    assert not any(line.startswith("| OAC-99 |") for line in page), "it is not one of this family"
    assert "- openai-chat: OAC-05 is not killed: it finds no mutant that names it" in page
    assert "1. `forgotten`: A result is missing." in page


def test_people_get_every_rule_against_every_mutant(selftest: SelftestSummary) -> None:
    page = as_markdown(selftest, HEAD)
    grid = page[page.index("```text") :].splitlines()[1:-1]
    assert grid == [
        "                 11",
        "        12345678901",
        "OAC-03  1..........",
        "OAC-05  ...........",
        "OAC-99  1..........",
    ]


def test_an_account_that_holds_says_so() -> None:
    assert "## What is wrong\n\nNothing.\n" in as_markdown(SelftestSummary.of([]), HEAD)
