"""The score of a subject: a sample of its mutants, each judged in a fork by the items that run its line."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

from harness.errors import BadInput, HarnessError
from harness_lab.mutation.covering import Coverage, KeptCoverage, measured
from harness_lab.mutation.forking import Forked, Limits, in_forks
from harness_lab.mutation.importing import import_as, importable
from harness_lab.mutation.judging import Fault, MutationJudge
from harness_lab.mutation.mutants import SourceMutant

MutantState = Literal["found", "crashed", "late", "survived", "unseen"]
"""``found``: by a finding. ``crashed``: something raised. ``late``: it did not end. ``unseen``: no item runs it."""

_HARNESS = ("harness", "harness_lab")
_LONG = Limits(300, 2400)
_WHOLE = Limits(3000, 6000)


@dataclass(frozen=True, slots=True)
class MutantVerdict:
    """The verdict on a mutant. ``by`` is the item that found it, ``what`` its message, ``of`` how many items could find
    it."""

    id: str
    place: str
    state: MutantState
    by: str = ""
    what: str = ""
    of: int = 0

    @property
    def killed(self) -> bool:
        """Whether a user would have noticed."""
        return self.state in ("found", "crashed", "late")


def _usual(seconds: float) -> Limits:
    return Limits(int(20 + 4 * seconds), 120 + 40 * seconds)


def prepared(judge: MutationJudge, root: Path, paths: Sequence[str], kept: KeptCoverage | None = None) -> Coverage:
    """Make this process the parent of all forks, and measure which items run what, or read that from ``kept``.

    Raises ``BadInput`` if the judge finds something without any mutant, and ``HarnessError`` if a module to be mutated
    was imported.
    """
    judge.preload()
    _check_unimported(paths)
    found = kept.read() if kept is not None else None
    if found is None:
        found = _measured(judge, root, paths)
        if kept is not None:
            kept.write(found)
    coverage = Coverage.from_json(found)
    if coverage.faults:
        raise BadInput(*(f"{judge.command} without a mutant: {fault}" for fault in coverage.faults))
    _import_beforehand(root, paths, coverage.modules)
    return coverage


def _import_beforehand(root: Path, paths: Sequence[str], modules: Sequence[str]) -> None:
    """Import what no mutant can change, so that no fork has to."""
    mutated = _names(paths)
    own = {*_HARNESS, *(name.split(".")[0] for name in mutated)}
    foreign = [name for name in modules if name.split(".")[0] not in {*own, "coverage", "__main__"}]
    for name in (*foreign, *importable(root, modules, mutated)):
        with suppress(Exception):  # what only some platforms have
            import_module(name)
    _check_unimported(paths)


def _measured(judge: MutationJudge, root: Path, paths: Sequence[str]) -> dict[str, Any]:
    (fork,) = in_forks([judge], lambda each: measured(each, root, paths), lambda _: _WHOLE, 1)
    if fork.result is None or "crash" in fork.result:
        raise HarnessError(
            f"{judge.command} could not be measured: {fork.result['crash'] if fork.result else fork.died}"
        )
    return dict(fork.result)


def judged(
    judge: MutationJudge,
    coverage: Coverage,
    mutants: Sequence[SourceMutant],
    jobs: int,
    limited: Callable[[float], Limits] = _usual,
) -> Iterator[MutantVerdict]:
    """Each mutant's verdict, as soon as it is known. ``limited`` returns the limits for work that takes so many
    seconds."""
    takes = dict(zip(coverage.items, coverage.seconds, strict=True))
    chosen = {mutant.key: judge.chosen(coverage.judging(mutant), mutant.module.name) for mutant in mutants}

    def limits(mutant: SourceMutant) -> Limits:
        return limited(sum(takes[item] for item in chosen[mutant.key]))

    def work(mutant: SourceMutant) -> object:
        return _judge(judge, mutant, chosen[mutant.key]) if chosen[mutant.key] else []

    for fork in in_forks(mutants, work, limits, jobs):
        items = chosen[fork.item.key]
        verdict = _verdict(fork) if items else MutantVerdict(fork.item.key.id, fork.item.place, "unseen")
        yield replace(verdict, of=len(items))


def judged_whole(
    judge: MutationJudge, paths: Sequence[str], mutants: Sequence[SourceMutant], jobs: int
) -> Iterator[MutantVerdict]:
    """Each mutant's verdict by all items, without measuring which of them run what.

    Raises ``BadInput`` if the judge finds something without any mutant.
    """
    judge.preload()
    _check_unimported(paths)
    _check_sound(judge, judge.items)
    _check_unimported(paths)
    for fork in in_forks(mutants, lambda each: _judge(judge, each, judge.items()), lambda _: Limits(600, 3600), jobs):
        yield replace(_verdict(fork), of=len(judge.items()))


def judged_unmeasured(
    judge: MutationJudge,
    root: Path,
    paths: Sequence[str],
    mutants: Sequence[SourceMutant],
    jobs: int,
    limits: Limits = _LONG,
) -> Iterator[MutantVerdict]:
    """Each mutant's verdict by the items that are about its module, as the judge decides by its name alone. A line that
    no item runs has survived here: to measure that takes as long as many mutants.

    Raises ``BadInput`` if the judge finds something without any mutant.
    """
    judge.preload()
    _check_unimported(paths)
    (imports,) = in_forks([judge], _imported_by, lambda _: limits, 1)
    _import_beforehand(root, paths, imports.result or [])
    chosen = {mutant.key: judge.about(mutant.module.name) for mutant in mutants}
    _check_sound(judge, lambda: list(dict.fromkeys(item for items in chosen.values() for item in items)))
    _check_unimported(paths)  # a fork that cannot replace it would count as a mutant that crashes
    for fork in in_forks(mutants, lambda each: _judge(judge, each, chosen[each.key]), lambda _: limits, jobs):
        yield replace(_verdict(fork), of=len(chosen[fork.item.key]))


def _imported_by(judge: MutationJudge) -> Sequence[str]:
    """The modules that a judge imports when it has nothing to judge."""
    judge.run([], lambda *_: None)
    return sorted(sys.modules)


def _check_sound(judge: MutationJudge, items: Callable[[], Sequence[str]]) -> None:
    """Raise if a judge finds something even in code that is not mutated. ``items`` may import that code."""
    (fork,) = in_forks([judge], lambda each: _first_fault(each, items()), lambda _: _WHOLE, 1)
    match fork.result:
        case []:
            return
        case {"crash": str(crash)}:
            found = crash.strip().splitlines()[-1]
        case [item, _, what]:
            found = f"{item}: {what}"
        case _:
            found = "it did not end" if fork.late else f"the process died: {fork.died}"
    raise BadInput(f"{judge.command} without a mutant: {found}")


def _judge(judge: MutationJudge, mutant: SourceMutant, items: Sequence[str]) -> object:
    """In a fork: run the items on the mutant until one is at fault."""
    import_as(mutant.module.name, mutant.source)
    return _first_fault(judge, items)


def _first_fault(judge: MutationJudge, items: Sequence[str]) -> list[str]:
    faults: list[tuple[str, Fault]] = []

    def done(item: str, fault: Fault | None) -> None:
        if fault is not None:
            faults.append((item, fault))
            raise KeyboardInterrupt

    with suppress(KeyboardInterrupt):
        judge.run(items, done)
    return [faults[0][0], *faults[0][1]] if faults else []


def _verdict(fork: Forked[SourceMutant]) -> MutantVerdict:
    verdict = MutantVerdict(fork.item.key.id, fork.item.place, "survived")
    match fork.result:
        case None if fork.late:
            return replace(verdict, state="late")
        case None:
            return replace(verdict, state="crashed", what=f"the process died: {fork.died}")
        case {"crash": str(crash)}:
            return replace(verdict, state="crashed", what=crash.strip().splitlines()[-1])
        case [item, how, what]:
            return replace(verdict, state="found" if how == "finding" else "crashed", by=item, what=what)
    return verdict


def _check_unimported(paths: Sequence[str]) -> None:
    if early := sorted(_names(paths) & set(sys.modules)):
        raise HarnessError(f"{early[0]} is imported before it can be mutated; import it later, or in a fork")


def _names(paths: Sequence[str]) -> set[str]:
    return {path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in paths}
