"""``vary: {dialect: ...}``: the dialects of its wires in which a scenario is streamed, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from harness.scenario.authored import ScenarioFile
from harness.scenario.documents import Location, Problem
from harness.scenario.words import did_you_mean, either, shown
from harness.wire import WireName, wire, wires

_AT: Location = ("vary", "dialect")


def varied_dialects(file: ScenarioFile, spoken: Sequence[WireName], problem: Problem) -> tuple[str, ...]:
    """The names of the dialects, each once. ``all`` means every dialect of a wire of the scenario.

    A name that no wire, or no wire in ``spoken``, has is a problem. So are dialects of a scenario without streams.
    """
    asked = file.vary.dialect if file.vary is not None else None
    if asked is None:
        return ()
    if not file.stream:
        problem(_AT, "a scenario that is streamed", "'stream: false'", "remove one of them")
    if asked != "all":
        return tuple(dict.fromkeys(_known(asked, spoken, problem)))
    if not any(wire(name).dialects for name in spoken):
        remedy = f"add {either(map(shown, (each.name for each in wires() if each.dialects)))} to 'wires', or remove it"
        problem(_AT, "a wire that has dialects", either(spoken), remedy)
    return tuple(dict.fromkeys(name for each in spoken for name in wire(each).dialects))


def _known(asked: Sequence[str], spoken: Sequence[WireName], problem: Problem) -> Iterator[str]:
    for index, name in enumerate(asked):
        having = [each.name for each in wires() if name in each.dialects]
        if not having:
            known = {known: None for each in wires() for known in each.dialects}
            remedy = f"write one of docs/dialects.md{did_you_mean(name, known)}"
            problem((*_AT, index), "the name of a dialect", shown(name), remedy)
        elif not set(having).intersection(spoken):
            remedy = f"add {either(map(shown, having))} to 'wires', or remove it"
            lacks = "it has not" if len(spoken) == 1 else "neither has" if len(spoken) == 2 else "none of them has"
            problem((*_AT, index), f"a dialect of {either(spoken)}", f"{shown(name)}, which {lacks}", remedy)
        else:
            yield name
