"""For each deviation, the consequences if the preset did as the recorded engine does, and a table of them.

A deviation is a habit of the engine that the preset does not have, because a rule finds it, or a scenario of the preset
expects something else, or nobody would gain by it. Its recordings are counted, so the table shows how many recordings
can agree at all (``scripts/golden-table`` writes it into ``docs/golden.md``).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import wrap

from harness.ground.data_files import read_data, with_tuples
from harness.imports.comparison import RecordedComparison
from harness.rules import RULES, judge
from harness_lab.recorded.golden.happened import PlayedRun

_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Harm:
    """The behaviour of the ``engine``, and what would ``come`` of following it.

    ``rules`` find it, ``scenarios`` of the preset fail with it. If there are neither, it is never the only difference
    of a recording.
    """

    engine: str
    come: str
    rules: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()


HARMS: Mapping[str, Harm] = {
    name: Harm(**with_tuples(about)) for name, about in read_data(Path(__file__).with_name("harms.yaml")).items()
}
"""By the names of the deviations."""


def table(comparisons: Sequence[RecordedComparison[PlayedRun]]) -> str:
    """The number of recordings that agree, the deviations of the others, and combinations of deviations."""
    sets = Counter(frozenset(each.names) for each in comparisons if each.verdict != "agrees")
    return "\n".join([*_sums(comparisons), "", *_by_reason(sets), "", *_together(sets)]) + "\n"


def musts_broken(comparison: RecordedComparison[PlayedRun]) -> set[str]:
    """The MUST rules that keep the habits of a recording out of the preset, and that find them in the recorded run.

    Other rules may find what the comparison does not look at, such as ids and requests.
    """
    found = {each.rule for each in judge(comparison.happened.trace) if each.level == "MUST"}
    return found & {rule for name in comparison.names for rule in HARMS[name].rules}


def _sums(comparisons: Sequence[RecordedComparison[PlayedRun]]) -> Iterator[str]:
    differ = [each for each in comparisons if each.verdict != "agrees"]
    broken = sum(bool(musts_broken(each)) for each in differ)
    number = len(comparisons)
    words = (
        f"Of {number} recordings {number - len(differ)} agree and {len(differ)} do not. In {broken} of these a MUST",
        "rule finds in the engine's run what keeps it from agreeing: a loop that keeps the MUST rules agrees with",
        f"at most {number - broken}. In each of the other {len(differ) - broken} a scenario of the preset, or a SHOULD",
        "rule, expects something else.",
    )
    yield from wrap(" ".join(words), width=_WIDTH)


def _by_reason(sets: Mapping[frozenset[str], int]) -> Iterator[str]:
    yield "| the engine | in | alone in | what following it would do | found by |"
    yield "|---|---|---|---|---|"
    counts = {name: sum(number for names, number in sets.items() if name in names) for name in HARMS}
    for name in sorted(HARMS, key=lambda name: -counts[name]):
        harm = HARMS[name]
        row = (harm.engine, counts[name], sets.get(frozenset({name}), 0), harm.come, ", ".join(_found_by(harm)))
        yield f"| {' | '.join(map(str, row))} |"


def _found_by(harm: Harm) -> Iterator[str]:
    for rule in harm.rules:
        yield f"`{rule}` ({RULES[rule].level})"
    for scenario in harm.scenarios:
        yield f"the scenario `{scenario}`"


def _together(sets: Mapping[frozenset[str], int]) -> Iterator[str]:
    yield "| several at once | in |"
    yield "|---|---|"
    order = list(HARMS)
    several = [(sorted(names, key=order.index), number) for names, number in sets.items() if len(names) > 1]
    for names, number in sorted(several, key=lambda pair: (-pair[1], pair[0])):
        yield f"| {'; '.join(HARMS[name].engine for name in names)} | {number} |"
