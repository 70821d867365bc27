"""The rules against traces that are broken on purpose, and against those of the loop that makes no mistake."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from harness.rules import RULES, Finding, TraceView, judge, select
from harness.runner.execute import Finished
from harness.trace import ResponseRecord, Trace
from harness.wire import WIRES
from harness_lab.mutants.together import TAKEN_BACK
from harness_lab.mutants.traces import TRACE_VARIANTS, TRACES, Edit, TraceMutant, TraceVariant, both, changed
from harness_lab.selftest.scope import Scope
from harness_lab.selftest.stage import Part, clean, play
from harness_lab.selftest.trial import NOTHING, Family, Found, Trial, drawn, names

__all__ = ["PAIRS", "traces"]

PAIRS = 200
"""How many pairs of mutants are tried at most."""


async def traces(scope: Scope) -> Family:
    """Every breakage of a trace, made in the traces that it names, and the traces without it."""
    wanted = [mutant for mutant in TRACES.values() if scope.wants(mutant.rule) and _parts(mutant, scope)]
    harmless = [variant for variant in TRACE_VARIANTS.values() if scope.rules is None and _parts(variant, scope)]
    named: list[TraceMutant | TraceVariant] = [*wanted, *harmless]
    bench = _Bench(await play(part for each in named for part in _parts(each, scope)))
    proven = {mutant.rule for mutant in wanted}
    return Family(
        "traces",
        rules=tuple(rule for rule in RULES if scope.wants(rule) and (scope.wires == WIRES or rule in proven)),
        mutants=tuple(_mutant(bench, mutant, part) for mutant in wanted for part in _parts(mutant, scope)),
        clean=(
            *map(clean, bench.played.values()),
            *(_variant(bench, variant, part) for variant in harmless for part in _parts(variant, scope)),
        ),
        pairs=tuple(_pairs(bench, wanted, scope)),
    )


def _parts(each: TraceMutant | TraceVariant, scope: Scope) -> list[Part]:
    return [(each.scenario, wire) for wire in each.wires if wire in scope.wires]


class _Bench:
    """The runs that were played, and the trials that are made on them.

    No mutant changes what the model says, so responses are read once, and known by their bytes.
    """

    def __init__(self, played: Mapping[Part, Finished]) -> None:
        self.played = played
        self._by = select(info=True)
        self._replies = {
            response.body: ask.reply
            for finished in played.values()
            for ask in TraceView(finished.trace).asks
            if (response := ask.exchange.response) is not None and ask.reply is not None and response.end == "eof"
        }

    def tried(self, trial: Trial, part: Part, edit: Edit) -> Trial:
        """``trial`` with what is found in the run after ``edit``, or why that cannot be said."""
        whole = self.played[part].trace
        try:
            broken = changed(whole, edit)
            if broken is None or broken == whole:
                return replace(trial, unsound=NOTHING)
            return replace(trial, found=tuple(map(_found, judge(self._read(broken), self._by))))
        except Exception:  # noqa: BLE001 - a rule or an edit that crashes is told as that, and the others go on
            return replace(trial, crash=traceback.format_exc())

    def _read(self, trace: Trace) -> TraceView:
        answers = [record for record in trace.records if isinstance(record, ResponseRecord)]
        known = {each.exchange: self._replies[each.body] for each in answers if each.body in self._replies}
        return TraceView(trace, known)

    def name(self, part: Part) -> str:
        """The run's case, as the report names it."""
        return self.played[part].result.id


def _mutant(bench: _Bench, mutant: TraceMutant, part: Part) -> Trial:
    trial = Trial(mutant.name, bench.name(part), (mutant.rule,), mutant.also, summary=mutant.summary)
    return bench.tried(trial, part, mutant.edit)


def _variant(bench: _Bench, variant: TraceVariant, part: Part) -> Trial:
    tried = bench.tried(Trial(variant.name, bench.name(part), summary=variant.summary), part, variant.edit)
    counted = [found for found in tried.found if found.level != "INFO" or not names(variant.informs, found.rule)]
    return replace(tried, found=tuple(counted))


def _pairs(bench: _Bench, wanted: Sequence[TraceMutant], scope: Scope) -> Iterator[Trial]:
    """Two mistakes in one run: at least one of them must still be found, unless one takes the other back."""
    pairs = [
        (Trial(f"{one.name}+{other.name}", bench.name(part), _rules(one, other)), part, both(one.edit, other.edit))
        for one, other in combinations(wanted, 2)
        if frozenset({one.name, other.name}) not in TAKEN_BACK
        for part in _parts(one, scope)
        if part in _parts(other, scope)
    ]
    for trial, part, edit in drawn(pairs, PAIRS):
        tried = bench.tried(trial, part, edit)
        if not tried.unsound:
            yield tried


def _rules(one: TraceMutant, other: TraceMutant) -> tuple[str, ...]:
    return (one.rule, *one.also, other.rule, *other.also)


def _found(finding: Finding) -> Found:
    at = f"line {finding.at + 2} ({finding.reference})" if finding.reference else f"line {finding.at + 2}"
    return Found(finding.rule, finding.level, at, finding.expected, finding.got)
