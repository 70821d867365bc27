"""The journal of a run: what was acknowledged is read back, whatever the end of the file looks like."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import BadInput, Breakdown
from harness.finding import Finding
from harness.report.files import read_results
from harness.report.journal import JOURNAL, Journal, JournalHead, read_journal
from harness.runner.results import CaseResult, RunResult, Stale
from tests.secrets.samples import sample

CASES = [
    CaseResult(
        f"{name}.openai-chat.whole", name, "openai-chat", "mine", "script", "universal", "whole", 0, "pass", 0.25, 1
    )
    for name in ("a", "b", "c")
]
HALF = "\ud83d"
"""Half a character, which a finding may quote."""

FAILED = replace(CASES[1], verdict="fail", findings=(Finding("order/end", "MUST", "unsafe", 3, "an end", HALF),))
HEAD = JournalHead(
    RunResult("0.1.0", "2026-01-01T00:00:00+00:00", "mine", 0, complete=False, versions={"openai": "3"}),
    tuple(case.id for case in CASES),
    {"--seed": "0"},
    ("allowed.example",),
)


def journal(folder: Path, *cases: CaseResult) -> Journal:
    begun = Journal.begin(folder, HEAD)
    for case in cases:
        begun.append(case)
    return begun


def test_what_was_acknowledged_is_read_back_in_the_order_of_the_plan(tmp_path: Path) -> None:
    written = journal(tmp_path, FAILED, CASES[0])  # it is not closed, as by kill -9
    read = read_journal(tmp_path)
    assert read is not None
    assert (read.head, read.cases, read.end) == (HEAD, (FAILED, CASES[0]), None)
    assert read.result == replace(HEAD.run, cases=(CASES[0], FAILED))
    assert read_results(tmp_path / "results.json") == read.result
    written.close()


def test_the_last_line_says_what_is_known_at_the_end(tmp_path: Path) -> None:
    written = journal(tmp_path, *CASES)
    whole = replace(HEAD.result(CASES), stale=(Stale("a.yaml:1:1", "x", "y"),))
    written.end(replace(whole, cases=(replace(CASES[0], verdict="xpass"), *CASES[1:])))
    written.close()
    read = read_journal(tmp_path)
    assert read is not None
    assert read.result == replace(whole, cases=(replace(CASES[0], verdict="xpass"), *CASES[1:]))
    assert read.result.complete


def test_a_resumed_journal_that_was_killed_again_is_at_no_end(tmp_path: Path) -> None:
    written = journal(tmp_path, CASES[0])
    written.end(HEAD.result(CASES[:1]))
    written.close()
    first = read_journal(tmp_path)
    assert first is not None
    Journal(tmp_path / JOURNAL, first.size).append(CASES[1])
    read = read_journal(tmp_path)
    assert read is not None
    assert (read.end, [case.id for case in read.result.cases]) == (None, [case.id for case in CASES[:2]])


@pytest.mark.parametrize("blocked", [("CONNECT allowed.example:443",), ("CONNECT other.example:443",)])
def test_a_run_that_was_killed_knows_which_blocked_hosts_are_findings(tmp_path: Path, blocked: tuple[str, ...]) -> None:
    journal(tmp_path, replace(CASES[0], blocked=blocked)).close()
    (host,) = read_results(tmp_path / "results.json").blocked
    assert bool(host.allowed) == ("allowed" in blocked[0])


def test_a_line_that_is_cut_anywhere_is_left_out_and_overwritten(tmp_path: Path) -> None:
    journal(tmp_path, CASES[0], FAILED).close()
    path = tmp_path / JOURNAL
    content = path.read_bytes()
    start = content.index(b"\n", content.index(b"\n") + 1) + 1
    for cut in [*range(start, len(content), 37), len(content) - 1]:
        path.write_bytes(content[:cut])
        read = read_journal(tmp_path)
        assert read is not None
        assert (read.cases, read.size) == ((CASES[0],), start), cut
    again = Journal(path, start)
    again.append(FAILED)
    assert path.read_bytes() == content
    again.close()


def test_zeros_that_a_loss_of_power_leaves_are_a_line_that_is_cut(tmp_path: Path) -> None:
    journal(tmp_path, CASES[0]).close()
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(bytes(300))
    read = read_journal(tmp_path)
    assert read is not None
    assert read.cases == (CASES[0],)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda text: text.replace('{"case"', "{case", 1), r"journal\.jsonl:2: expected a line of JSON"),
        (lambda text: text.replace('"journal":1', '"journal":9', 1), "got one of 0.1.0"),
        (lambda text: "", "got one of an unknown version"),
        (lambda text: text.replace('"verdict":"pass"', '"verdict":"good"', 1), "expected the journal of a run, got"),
    ],
    ids=["middle", "version", "empty", "verdict"],
)
def test_what_is_no_journal_is_bad_input(tmp_path: Path, change: Callable[[str], str], problem: str) -> None:
    journal(tmp_path, CASES[0], FAILED).close()
    path = tmp_path / JOURNAL
    path.write_text(change(path.read_text(encoding="utf-8")), encoding="utf-8")
    with pytest.raises(BadInput, match=problem):
        read_journal(tmp_path)


def test_a_verdict_that_cannot_be_written_leaves_no_half_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = journal(tmp_path, CASES[0])
    before, write = (tmp_path / JOURNAL).read_bytes(), os.write
    asked: list[int] = []

    def full(file: int, data: bytes) -> int:
        asked.append(len(data))
        if len(asked) > 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data[: len(data) // 2])

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(Breakdown, match=r"journal\.jsonl: cannot be written: No space left on device; make room"):
        written.append(FAILED)
    assert len(asked) == 2
    assert (tmp_path / JOURNAL).read_bytes() == before


def test_waiting_for_the_disk_takes_half_a_percent_of_the_time_at_most(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    synced: list[float] = []

    def slow(_: int) -> None:
        synced.append(now[0])
        now[0] += 0.05

    monkeypatch.setattr("harness.report.journal.time.monotonic", lambda: now[0])
    monkeypatch.setattr(os, "fsync", slow)
    written = journal(tmp_path)
    for _ in range(3000):
        written.append(CASES[0])
        now[0] += 0.01
    assert len(synced) == 3  # the first one puts the name of the file on the disk, too
    written.end(HEAD.result(CASES))
    assert len(synced) == 4


def test_no_line_has_a_secret_and_names_stay_as_they_are(tmp_path: Path) -> None:
    key = sample("openai-project-key").secret
    run = replace(HEAD.run, target=f"cmd:agent --key {key}")
    case = replace(FAILED, reason=key, repeat=f"harness run --target 'cmd:agent --key {key}'", not_served={key: 1})
    begun = Journal.begin(tmp_path, replace(HEAD, run=run, plan={"--rule": key}))
    begun.append(replace(case, findings=(replace(case.findings[0], got=key, known=key),)))
    begun.end(replace(run, stale=(Stale("a.yaml:1:1", "x", key),)))
    begun.close()
    content = (tmp_path / JOURNAL).read_text()
    assert key not in content
    assert content.count("REDACTED-openai-project-key") == 9
    read = read_journal(tmp_path)
    assert read is not None
    assert read.head.planned == HEAD.planned
    assert [each.id for each in read.cases] == [case.id]


def test_a_name_that_looks_like_a_secret_is_found_again(tmp_path: Path) -> None:
    """Cases and their files are found by these names, so they are the same in the journal as on the disk."""
    name = sample("github-token").secret
    case = replace(CASES[0], id=name, scenario=name, trace=f"traces/{name}.jsonl")
    begun = Journal.begin(tmp_path, replace(HEAD, planned=(name,)))
    begun.append(case)
    begun.close()
    read = read_journal(tmp_path)
    assert read is not None
    assert read.result.cases == (case,)
