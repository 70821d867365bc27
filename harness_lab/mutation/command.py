"""``scripts/mutation-score SUBJECT``: judge a sample of the mutants of a part of the harness; write docs/mutation.md.

The exit code is 0 where all were judged, whatever came of it; 1 where notes.yaml is wrong; 2 for bad input.
"""

# ruff: noqa: T201 - a command
from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import yaml

from harness.errors import HarnessError
from harness_lab.mutation.by_pytest import Tests
from harness_lab.mutation.covering import KeptCoverage
from harness_lab.mutation.document import page
from harness_lab.mutation.in_process import judged_in_process
from harness_lab.mutation.judging import MutationJudge, Some
from harness_lab.mutation.mutants import MutantKey, SourceMutant, in_order_of_lot, mutants_of, sample
from harness_lab.mutation.notes import MutantNote, gone, read_notes
from harness_lab.mutation.results import SubjectVerdicts, read_verdicts, write_verdicts
from harness_lab.mutation.scoring import MutantVerdict, judged, judged_unmeasured, judged_whole, prepared
from harness_lab.mutation.subjects import SUBJECTS, Subject

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "reports" / "mutation"
DOCUMENT = ROOT / "docs" / "mutation.md"


def main(words: Sequence[str] | None = None) -> int:
    """Run the command with the words of the command line. Returns the exit code."""
    options = _options().parse_args(words)
    try:
        notes = read_notes()
        if options.subject is None:
            return _write_document(notes)
        return _Scored(SUBJECTS[options.subject], options, notes).exit_code()
    except HarnessError as problem:
        for line in getattr(problem, "problems", (str(problem),)):
            print(line, file=sys.stderr)
        return 2


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="scripts/mutation-score", description=__doc__)
    words = f"{', '.join(SUBJECTS)}; without one docs/mutation.md is written from the last results"
    parser.add_argument("subject", nargs="?", choices=list(SUBJECTS), metavar="SUBJECT", help=words)
    parser.add_argument("--sample", type=int, default=200, metavar="N", help="how many mutants (default 200)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which of them (default 1)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes at once")
    parser.add_argument("--most", type=int, metavar="N", help="judge by the first N cases or traces (default all)")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="only this mutant; repeatable")
    parser.add_argument("--again", action="store_true", help="only what survived last time, or was not judged yet")
    parser.add_argument("--rest", action="store_true", help="only what was not judged yet")
    parser.add_argument("--tests", action="store_true", help="run the subject's tests on those that survived last time")
    unmeasured = "do not measure which items run which line: judge each by those about its module; no line is unseen"
    parser.add_argument("--unmeasured", action="store_true", help=unmeasured)
    in_process = "judge one after another in this process, without a fork; what is made when a module is imported"
    parser.add_argument("--in-process", action="store_true", help=f"{in_process} is left: judge it with --rest")
    parser.add_argument("--list", action="store_true", help="judge nothing; print the mutants as notes.yaml has them")
    return parser


class _Scored:
    def __init__(self, subject: Subject, options: argparse.Namespace, notes: Mapping[MutantKey, MutantNote]) -> None:
        self.subject = subject
        self.options = options
        self.notes = notes
        self.file = RESULTS / f"{subject.name}.json"
        self.paths = subject.paths(ROOT)
        self.every = list(mutants_of(ROOT, self.paths))
        self.before = read_verdicts(self.file)

    def exit_code(self) -> int:
        """Judge, or list; write the results and the document."""
        chosen = self._chosen()
        if self.options.list:
            print(yaml.safe_dump([_as_note(mutant) for mutant in chosen], sort_keys=False, width=1000))
            return 0
        stale = gone([note for note in self.notes.values() if note.key.path in self.paths], self.every)
        for note in stale:
            print(f"notes.yaml: {note.key.path}: no mutant is left with the line {note.key.line!r}: remove the note")
        (self._tested if self.options.tests else self._judged)(chosen)
        _write_document(self.notes)
        return 1 if stale else 0

    def _chosen(self) -> list[SourceMutant]:
        """The sample, or the wanted part of it."""
        if self.options.only:
            return [mutant for mutant in self.every if mutant.key.id in self.options.only]
        chosen = sample(self.every, self.options.sample, self.options.seed)
        if not (self.options.again or self.options.tests or self.options.rest):
            return chosen
        left = {each.id for each in self.before.verdicts if not each.killed} if self.before is not None else set()
        known = {each.id for each in self.before.verdicts} if self.before is not None else set()
        if self.options.rest:
            return [each for each in chosen if each.key.id not in known]
        return [each for each in chosen if each.key.id in left or (self.options.again and each.key.id not in known)]

    def _judged(self, chosen: Sequence[SourceMutant]) -> None:
        """Judge, and write each verdict as it comes. An interrupted run can be continued with ``--rest``, and the
        verdicts so far are a sample by themselves."""
        judge: MutationJudge = self.subject.judge()
        if self.options.most is not None:
            judge = Some(judge, self.options.most)
        verdicts: dict[str, MutantVerdict] = {}
        for number, verdict in enumerate(self._verdicts(judge, chosen), 1):
            verdicts[verdict.id] = verdict
            words = f"{verdict.by}: {verdict.what}" if verdict.by else verdict.what
            print(f"{number}/{len(chosen)} {verdict.id} {verdict.state:8} {verdict.place}  {words[:150]}", flush=True)
            write_verdicts(self.file, self._together(verdicts))

    def _verdicts(self, judge: MutationJudge, chosen: Sequence[SourceMutant]) -> Iterator[MutantVerdict]:
        """The verdicts on these, as they come, in the order of the lot."""
        by_lot = in_order_of_lot(chosen, self.options.seed)
        known = f"{len(chosen)} of {len(self.every)} mutants"
        if self.options.in_process:
            print(f"{known}; by {judge.command}, in this process", flush=True)
            return judged_in_process(judge, ROOT, by_lot)
        if self.options.unmeasured:
            print(f"{known}; by {judge.command}", flush=True)
            return judged_unmeasured(judge, ROOT, self.paths, by_lot, self.options.jobs)
        print(f"{known}; measuring which of them {judge.command} can see", flush=True)
        kept = KeptCoverage(RESULTS / f"{self.subject.name}-coverage.json", ROOT, f"{self.options.most}")
        return judged(judge, prepared(judge, ROOT, self.paths, kept), by_lot, self.options.jobs)

    def _together(self, verdicts: Mapping[str, MutantVerdict]) -> SubjectVerdicts:
        """These verdicts, with those of the last run that are not judged again."""
        kept = self.before if self.options.only or self.options.again or self.options.rest else None
        there = {mutant.key.id for mutant in self.every}
        older = [each for each in kept.verdicts if each.id in there and each.id not in verdicts] if kept else []
        tests = {each: found for each, found in (kept.tests if kept else {}).items() if each in there}
        every = sorted([*older, *verdicts.values()], key=lambda each: each.id)
        return SubjectVerdicts(self.subject.name, self.options.seed, len(self.every), every, tests)

    def _tested(self, chosen: Sequence[SourceMutant]) -> None:
        before = self.before
        if before is None:
            raise HarnessError(f"nothing was judged yet: run scripts/mutation-score {self.subject.name} first")
        tests = Tests(ROOT, self.subject.tests)
        print(f"{tests.command} on {len(chosen)} mutants that survived", flush=True)
        found = dict(before.tests)
        for verdict in judged_whole(tests, self.paths, chosen, self.options.jobs):
            found[verdict.id] = verdict.killed
            print(f"{verdict.id} {verdict.state:8} {verdict.place}  {verdict.what[:150]}", flush=True)
            write_verdicts(self.file, replace(before, tests=found))


def _as_note(mutant: SourceMutant) -> dict[str, object]:
    """The members that identify a mutant in notes.yaml, with its id and its place for a reader."""
    key = mutant.key
    named = {"path": key.path, "qualname": key.qualname, "operator": key.operator, "line": key.line}
    return {
        "id": key.id,
        "place": mutant.place,
        **named,
        "change": key.change,
        **({"nth": key.nth} if key.nth > 1 else {}),
    }


def _write_document(notes: Mapping[MutantKey, MutantNote]) -> int:
    results = [read_verdicts(RESULTS / f"{name}.json") for name in SUBJECTS]
    scored = [(SUBJECTS[each.subject], each) for each in results if each is not None]
    DOCUMENT.write_text(page(ROOT, scored, notes), encoding="utf-8")
    print(f"{DOCUMENT.relative_to(ROOT)} is written")
    return 0
