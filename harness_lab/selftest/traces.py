"""The rules against traces that are broken on purpose, and against traces of a loop without mistakes."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations

from harness.errors import BadInput
from harness.rules import RULES, Finding, Rule, TraceView, judge, rule, select
from harness.rules.catalogue import current
from harness.rules.model import ALIASES
from harness.rules.trace_view import views
from harness.runner.execute import Finished
from harness.trace import CallerRecord, EventRecord, ResponseRecord, Trace
from harness.wire import OWN_WIRES, WireName, wire_rules
from harness_lab.mutants.together import TAKEN_BACK
from harness_lab.mutants.traces import (
    EQUIVALENT_TRACES,
    SMALL_RUNS,
    TRACES,
    Edit,
    EquivalentTrace,
    SmallRun,
    TraceMutant,
    both,
    changed,
)
from harness_lab.mutants.traces.draft import TraceDraft
from harness_lab.selftest.evidence import unclear
from harness_lab.selftest.mutant_run import NOTHING, Family, Found, MutantRun, drawn, names
from harness_lab.selftest.scope import Scope
from harness_lab.selftest.stage import Part, can_play, clean, play
from harness_lab.selftest.stated import Judgement, own_rules
from harness_lab.selftest.stated_traces import as_stated, in_words, judgements_of_changes

PAIRS = 200
"""How many pairs of mutants are tried at most."""


async def traces(scope: Scope) -> Family:
    """Every breakage of a trace, made in the traces that it names, the traces without it, and every small run."""
    judged = await _judged(scope)
    bench, wanted = judged.bench, judged.wanted
    proven = {mutant.rule for mutant in wanted} | {rule for run in judged.small_runs for rule in run.killers}
    return Family(
        "traces",
        rules=tuple(rule for rule in RULES if scope.wants(rule) and (scope.wires == OWN_WIRES or rule in proven)),
        mutants=(*judged.mutants, *(run for run in judged.small_runs if run.named)),
        clean=(
            *map(clean, bench.played.values()),
            *judged.halves,
            *(_read_before(bench, mutant, part) for mutant in wanted for part in _parts(mutant, scope)[:1]),
            *(run for run in judged.small_runs if not run.named),
            *judged.equivalents,
            *((as_stated(judged.statements()),) if scope == Scope(None, loops=scope.loops) else ()),
        ),
        pairs=tuple(_pairs(bench, wanted, scope)),
    )


async def judgements_of_traces() -> Iterator[Judgement]:
    """Every judgement of a trace, which take a minute; in the same order each time."""
    judged = await _judged(Scope(None))
    return chain(judged.statements(), judgements_of_changes())


@dataclass(frozen=True, slots=True)
class _Judged:
    """The findings in each trace that is stated."""

    bench: _TraceBench
    wanted: Sequence[TraceMutant]
    mutants: Sequence[MutantRun]
    equivalents: Sequence[MutantRun]
    halves: Sequence[MutantRun]
    small_runs: Sequence[MutantRun]

    def statements(self) -> Iterator[Judgement]:
        """Each trace with its findings, half a trace if it has any finding, and every rule's own description."""
        every: list[TraceMutant | SmallRun] = [*TRACES.values(), *SMALL_RUNS.values()]
        made_for = {each.name: (current(each.rule),) for each in every}
        halves = (run for run in self.halves if run.words)
        for run in chain(self.mutants, self.equivalents, halves, self.small_runs):
            yield Judgement(run.name, run.on, made_for.get(run.name, ()), run.words)
        for id in own_rules():
            yield Judgement("the rule itself", "every wire", (id,), tuple(f"{id} {line}" for line in record(RULES[id])))


async def _judged(scope: Scope) -> _Judged:
    wanted = [mutant for mutant in TRACES.values() if scope.wants(mutant.rule) and _parts(mutant, scope)]
    harmless = [
        equivalent for equivalent in EQUIVALENT_TRACES.values() if scope.rules is None and _parts(equivalent, scope)
    ]
    named: list[TraceMutant | EquivalentTrace] = [*wanted, *harmless]
    bench = _TraceBench(await play(part for each in named for part in _parts(each, scope)))
    return _Judged(
        bench,
        wanted,
        [_mutant(bench, mutant, part) for mutant in wanted for part in _parts(mutant, scope)],
        [_equivalent(bench, each, part) for each in harmless for part in _parts(each, scope)],
        [_half(bench, part, name, edit) for name, edit in HALVES.items() for part in bench.played],
        [run for each in SMALL_RUNS.values() if scope.wants(each.rule) for run in _small_run(bench, each, scope.wires)],
    )


def _parts(each: TraceMutant | EquivalentTrace, scope: Scope) -> list[Part]:
    return [(each.scenario, wire) for wire in each.wires if wire in scope.wires and can_play((each.scenario, wire))]


class _TraceBench:
    """The runs that were played, and the runs of mutants on them.

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

    def tried(self, run: MutantRun, part: Part, edit: Edit) -> MutantRun:
        """``run`` with the findings in the run after ``edit``, or why there are none to judge."""
        whole = self.played[part].trace
        try:
            broken = changed(whole, edit)
            if broken is None or broken == whole:
                return replace(run, unsound=NOTHING)
            return self.judged(run, broken)
        except Exception:  # noqa: BLE001 - a rule or an edit that crashes is reported as that, and the others go on
            return replace(run, crash=traceback.format_exc())

    def judged(self, run: MutantRun, trace: Trace) -> MutantRun:
        """``run`` with the findings in a trace."""
        seen = self._read(trace)
        findings = judge(seen, self._by)
        lacks = unclear(findings, len(trace.records))
        return replace(run, found=tuple(map(_found, findings)), unclear=lacks, words=in_words(findings, seen))

    def _read(self, trace: Trace) -> list[TraceView]:
        """Each conversation as rules see it. Many have the same responses, which are read only once."""
        answers = [record for record in trace.records if isinstance(record, ResponseRecord)]
        known = {each.exchange: self._replies[each.body] for each in answers if each.body in self._replies}
        seen = list(views(trace, known))
        for ask in (ask for view in seen for ask in view.asks):
            response = ask.exchange.response
            if response is not None and response.end == "eof" and ask.reply is not None and ask.whole:
                self._replies.setdefault(response.body, ask.reply)
        return seen

    def name(self, part: Part) -> str:
        """The run's case, as the report names it."""
        return self.played[part].result.id


def _mutant(bench: _TraceBench, mutant: TraceMutant, part: Part) -> MutantRun:
    run = MutantRun(mutant.name, bench.name(part), (mutant.rule,), mutant.also, summary=mutant.summary)
    return bench.tried(run, part, mutant.edit)


def _equivalent(bench: _TraceBench, equivalent: EquivalentTrace, part: Part) -> MutantRun:
    tried = bench.tried(MutantRun(equivalent.name, bench.name(part), summary=equivalent.summary), part, equivalent.edit)
    counted = [found for found in tried.found if found.level != "INFO" or not names(equivalent.informs, found.rule)]
    return replace(tried, found=tuple(counted))


def _small_run(bench: _TraceBench, small_run: SmallRun, wires: Sequence[WireName]) -> list[MutantRun]:
    """The small run on each wire that can express it: as a mutant that names its findings, or as clean if there are
    none."""
    runs = []
    chosen = [wire for wire in small_run.wires if wire in wires]
    for wire in chosen:
        run = MutantRun(small_run.name, wire, also=(), summary=small_run.summary)
        try:
            trace = small_run.on(wire)
            tried = None if trace is None else bench.judged(run, trace)
        except Exception:  # noqa: BLE001 - as above
            tried = replace(run, crash=traceback.format_exc())
        if tried is not None:
            counted = tuple(found for found in tried.found if found.level != "INFO" or _only_informs(found.rule))
            runs.append(replace(tried, found=counted, named=_named(small_run, counted)))
    if runs or len(chosen) < len(small_run.wires):
        return runs  # one of the wires that are left out may say it
    return [MutantRun(small_run.name, ", ".join(chosen), unsound=NOTHING)]


def _named(small_run: SmallRun, counted: Sequence[Found]) -> tuple[str, ...]:
    """All rules that have found something, unless the small run says that this is not what it shows."""
    rules = tuple(dict.fromkeys(found.rule for found in counted))
    if small_run.wrong is None:
        return rules
    if not small_run.wrong:
        return ()
    return rules if current(small_run.rule) in rules else (small_run.rule,)


def _only_informs(rule: str) -> bool:
    """Whether all findings of a rule are INFO."""
    return rule in RULES and RULES[rule].level == "INFO"


def record(rule: Rule) -> tuple[str, ...]:
    """The stated description of a rule, and the words by which it is selected, left out and explained."""
    needs, profiles = f"needs {', '.join(rule.needs)}", f"profiles {', '.join(rule.profiles) or 'all'}"
    about = f"about a {rule.scope}, of a record that shows {', '.join(rule.facts)}"
    words = (f"{rule.level}, {rule.impact}, {needs}, {profiles}, {about}", rule.statement, rule.why, rule.source)
    return (*words, _chosen_by(rule), _explained_by(rule.id, (*RULES, *ALIASES)))


def looked_up(id: str) -> tuple[str, ...]:
    """The wire rules that the rule reports, and the answers to words that are like its former ids. They are not stated
    with the rule, because each new rule can change them."""
    unknown = [former.replace("/", "-") for former, now in ALIASES.items() if now == id]
    return (_explained_by(id, wire_rules()), *(line for word in unknown for line in _unlike_any(word)))


def _explained_by(id: str, words: Iterable[str]) -> str:
    """Which of the words explain a rule."""
    return f"explained as {', '.join(sorted(word for word in words if rule(word).id == id))}"


def _unlike_any(word: str) -> tuple[str, ...]:
    """The answers to a word that names nothing, as a rule and as a rule to leave out."""
    try:
        select([word], without=[word])
    except BadInput as problem:
        return tuple(problem.problems)
    return (f"{word} is known",)


def _chosen_by(rule: Rule) -> str:
    names = (rule.id, *(former for former, now in ALIASES.items() if now == rule.id), rule.family)
    asked = [name for name in names if rule.id in select([name]).rules]
    left_out = [name for name in names if rule.id not in select(without=[name]).rules]
    alone = "alone" if select([rule.id]).rules == {rule.id} else "with others"
    return f"asked for as {' and '.join(asked)}, by its id {alone}; left out as {' and '.join(left_out)}"


def _half(bench: _TraceBench, part: Part, name: str, edit: Edit) -> MutantRun:
    """Half of a sound run: what it does not show must not count as missing."""
    tried = bench.tried(MutantRun(name, bench.name(part)), part, edit)
    return replace(tried, found=tuple(found for found in tried.found if found.level != "INFO"))


def _only_requests(draft: TraceDraft) -> None:
    draft.records[:] = [record for record in draft.records if not isinstance(record, EventRecord)]
    draft.case = replace(draft.case, emits=())


def _only_events(draft: TraceDraft) -> None:
    draft.records[:] = [record for record in draft.records if isinstance(record, EventRecord | CallerRecord)]


HALVES: dict[str, Edit] = {"only-requests": _only_requests, "only-events": _only_events}
"""A loop that reports nothing, and one whose requests nobody has seen."""


def _read_before(bench: _TraceBench, mutant: TraceMutant, part: Part) -> MutantRun:
    """A broken trace as ``harness run`` judges it: what the endpoint hands in must not change the findings."""
    run = MutantRun(f"{mutant.name} read before", bench.name(part))
    try:
        broken = changed(bench.played[part].trace, mutant.edit)
        if broken is None:
            return replace(run, unsound=NOTHING)
        alone, handed_in = judged_in_words(broken), judged_in_words(broken, handed_in=True)
        lost = (f"found only without what is handed in: {line}" for line in alone if line not in handed_in)
        new = (f"found only with what is handed in: {line}" for line in handed_in if line not in alone)
        return replace(run, unstated=(*lost, *new))
    except Exception:  # noqa: BLE001 - as above
        return replace(run, crash=traceback.format_exc())


def _pairs(bench: _TraceBench, wanted: Sequence[TraceMutant], scope: Scope) -> Iterator[MutantRun]:
    """Two mistakes in one run: at least one of them must still be found, unless one takes the other back."""
    pairs = [
        (MutantRun(f"{one.name}+{other.name}", bench.name(part), _rules(one, other)), part, both(one.edit, other.edit))
        for one, other in combinations(wanted, 2)
        if frozenset({one.name, other.name}) not in TAKEN_BACK
        for part in _parts(one, scope)
        if part in _parts(other, scope)
    ]
    for run, part, edit in drawn(pairs, PAIRS):
        tried = bench.tried(run, part, edit)
        if not tried.unsound:
            yield tried


def _rules(one: TraceMutant, other: TraceMutant) -> tuple[str, ...]:
    return (one.rule, *one.also, other.rule, *other.also)


def _found(finding: Finding) -> Found:
    at = f"line {finding.at} ({finding.reference})" if finding.reference else f"line {finding.at}"
    return Found(finding.rule, finding.level, at, finding.expected, finding.got)


@dataclass(frozen=True, slots=True)
class SelftestTraces:
    """Traces, each with a name and its wire. ``stated`` are broken ones, equivalent ones and small runs. ``right`` are
    the played ones, and halves of them, in which nothing may be found. ``read_before`` are those of the broken ones,
    by name and wire, that are judged once more, with what the endpoint hands in."""

    stated: Sequence[tuple[str, str, Trace]]
    right: Sequence[tuple[str, str, Trace]]
    read_before: Sequence[tuple[str, str]]


async def selftest_traces() -> SelftestTraces:
    """The traces that the selftest judges one by one."""
    scope = Scope(None)
    named: list[TraceMutant | EquivalentTrace] = [*TRACES.values(), *EQUIVALENT_TRACES.values()]
    played = await play(part for each in named for part in _parts(each, scope))
    broken = [
        (each.name, part[1], changed(played[part].trace, each.edit)) for each in named for part in _parts(each, scope)
    ]
    written = [(each.name, wire, each.on(wire)) for each in SMALL_RUNS.values() for wire in each.wires]
    edits: dict[str, Edit] = {"whole": lambda _: None, **HALVES}
    right = [
        (f"{name}:{scenario}", wire, changed(each.trace, edit))
        for (scenario, wire), each in played.items()
        for name, edit in edits.items()
    ]
    once_more = [(each.name, part[1]) for each in TRACES.values() for part in _parts(each, scope)[:1]]
    return SelftestTraces(_there((*broken, *written)), _there(right), once_more)


def _there(traces: Iterable[tuple[str, str, Trace | None]]) -> Sequence[tuple[str, str, Trace]]:
    return [(name, wire, trace) for name, wire, trace in traces if trace is not None]


def judged_in_words(trace: Trace, *, handed_in: bool = False) -> tuple[str, ...]:
    """The findings of all rules in a trace, as they are stated. With ``handed_in``, the endpoint hands in what it
    knows, and the findings are asked for in two parts."""
    seen = list(_handed_in(trace) if handed_in else views(trace))
    found = judge(seen, select(info=True))
    return in_words(_in_parts(seen, found) if handed_in else found, seen)


def _in_parts(seen: Sequence[TraceView], found: Sequence[Finding]) -> Sequence[Finding]:
    """The findings if wire rules are asked for by themselves, and then all the rest; in the order of ``found``."""
    references = sorted({finding.reference for finding in found if finding.reference})
    if not references:
        return found
    named, others = judge(seen, references), judge(seen, select(without=references, info=True))
    right = all(each.reference for each in named) and not any(each.reference for each in others)
    return found if right and Counter([*named, *others]) == Counter(found) else [*named, *others]


def _handed_in(trace: Trace) -> Iterator[TraceView]:
    """The views of a trace whose replies, requests and breaches the endpoint has handed in.

    The endpoint reads an answer before it sends it. So if the answer was cut on the way, it hands in the uncut one.
    """
    known = [TraceView(trace, conversation=number) for number in trace.conversations if number is not None]
    asks = [ask for view in known for ask in view.asks]
    replies = {ask.number: ask.reply for ask in asks if ask.reply is not None}
    whole = next(iter(replies.values()), None)
    cut = [each.exchange for each in trace.records if isinstance(each, ResponseRecord) and each.end != "eof"]
    if whole is not None:
        replies |= dict.fromkeys(cut, whole)
    read = {
        ask.number: (ask.conversation, ask.full)
        for ask in asks
        if ask.conversation is not None and ask.full is not None
    }
    judged = [view for view in views(trace) if "conversation" in view.scopes]
    breaches = [(ask.number, finding) for view in judged for ask, finding in view.violations]
    return views(trace, replies, breaches, read)
