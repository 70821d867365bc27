"""Files of small runs: what is wrong in one is named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.rules import RULES
from harness.rules.model import PROOFS
from harness_lab.mutants.traces.small_runs import EVERY, WORDS
from harness_lab.mutants.traces.small_runs.files import read_proof, read_small_runs

FILE = """\
runs:
  looks: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}

small runs:
- rule: order/tool-started
  wires: [openai-chat]
  run: looks
  rows:
    start-there: The call has a toolStart.
    start-missing: [The call has no toolStart., {drop: ToolStart}]
"""


def test_a_small_run_is_its_run_and_its_edits(tmp_path: Path) -> None:
    right, wrong = read_small_runs(_file(tmp_path, FILE), WORDS)
    assert (right.name, right.summary, right.edits) == ("start-there", "The call has a toolStart.", ())
    run, changed = right.on("openai-chat"), wrong.on("openai-chat")
    assert run is not None
    assert changed is not None
    assert len(changed.records) == len(run.records) - 1


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("{drop: ToolStart}", "{dorp: ToolStart}", "line 10: start-missing: {'dorp': 'ToolStart'} is no edit"),
        ("{drop: ToolStart}", "leave_out", "line 10: start-missing: 'leave_out' is no edit"),
        ("{drop: ToolStart}", "{cut: 0, which: 1}", "line 10: start-missing: cut() got an unexpected keyword"),
        ("run: looks", "run: speaks", "line 7: run: 'speaks'"),
        ("  run: looks\n", "", "line 8: start-there: neither it nor its group has a run"),
        ("turns:", "trun:", "line 2: looks: PlainRun.__init__() got an unexpected keyword"),
        ("start-missing", "start-there", "line 9, column 5"),
        ("rows:", "rows: [", "line 8"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, old: str, new: str, problem: str) -> None:
    file = _file(tmp_path, FILE.replace(old, new))
    with pytest.raises(BadInput) as raised:
        read_small_runs(file, WORDS)
    assert problem in str(raised.value)
    assert file.name in str(raised.value)


PROOF = """
    run: {turns: [[Let me look., {call: depth, with: {basin: north}}], Yes.]}
    right: {start-there: The call has a toolStart.}
    wrong: {start-missing: [The call has no toolStart., {drop: ToolStart}]}
    """


def test_a_proof_is_of_its_rule_and_says_which_runs_are_wrong() -> None:
    right, wrong = read_proof("order/tool-started", PROOF, WORDS)
    assert (right.name, right.rule, right.wrong) == ("start-there", "order/tool-started", False)
    assert (wrong.name, wrong.rule, wrong.wrong) == ("start-missing", "order/tool-started", True)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("drop", "dorp", "line 4: start-missing: {'dorp': 'ToolStart'} is no edit"),
        ("wrong:", "wrnog:", "line 4: wrnog: a group has edits, right, rows, run, wires, wrong"),
        ("turns:", "trun:", "line 2: run: PlainRun.__init__() got an unexpected keyword"),
    ],
)
def test_what_is_wrong_in_a_proof_is_named_with_its_rule(old: str, new: str, problem: str) -> None:
    with pytest.raises(BadInput) as raised:
        read_proof("order/tool-started", PROOF.replace(old, new), WORDS)
    assert str(raised.value).startswith(f"the proof of order/tool-started, {problem}")


def test_each_rule_that_is_declared_above_its_check_has_a_proof() -> None:
    declared = {id for id in RULES if not id.startswith("continuation/")}
    assert declared == set(PROOFS)
    assert declared == {each.rule for each in EVERY if each.wrong}


def _file(folder: Path, text: str) -> Path:
    path = folder / "small.yaml"
    path.write_text(text, encoding="utf-8")
    return path
