"""The judge of the rules about traces: each trace by itself, held against what is stated of it."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType, ModuleType

from harness.trace import Trace
from harness_lab.mutants.traces import SMALL_RUNS
from harness_lab.mutation.by_stated_traces import Prepared, StatedTraces, found_for
from harness_lab.mutation.covering import _Caches
from harness_lab.mutation.judging import Fault


def judged(*items: str, before: Mapping[str, str] = MappingProxyType({})) -> dict[str, Fault | None]:
    """What the judge says of small runs and rules; ``before`` has what was another run without a mutant."""
    judge = StatedTraces()
    found = {item: found_for(before.get(item, item), traces(before.get(item, item))) for item in items}
    judge._prepared = Prepared({name: trace for item in items for name, trace in traces(item).items()}, found, {})
    faults: dict[str, Fault | None] = {}
    judge.run(judge.items(), faults.__setitem__)
    return faults


def traces(item: str) -> dict[str, Trace]:
    """The trace of a small run on a wire; none of the record of a rule."""
    name, wire = item.split()
    if name == "record":
        return {}
    trace = SMALL_RUNS[name].on(wire)
    assert trace is not None
    return {item: trace}


def test_what_is_found_as_without_a_mutant_is_no_fault() -> None:
    items = ("short-41-late openai-chat", "short-40-late openai-chat", "record timing/preview")
    assert judged(*items) == dict.fromkeys(items)


def test_a_finding_that_was_not_there_without_a_mutant_is_one() -> None:
    late, in_time = "short-41-late openai-chat", "short-40-late openai-chat"
    fault = judged(late, before={late: in_time})[late]
    assert fault is not None
    assert fault[0] == "finding"
    assert fault[1].startswith("found, and not without a mutant: timing/start")


def test_a_finding_that_is_lost_is_one() -> None:
    late, in_time = "short-41-late openai-chat", "short-40-late openai-chat"
    fault = judged(in_time, before={in_time: late})[in_time]
    assert fault is not None
    assert fault[1].startswith("found without a mutant, and not with it: timing/start")


def test_caches_are_emptied_each_time_and_found_when_a_module_is_new() -> None:
    calls: list[int] = []

    @cache
    def doubled(number: int) -> int:
        calls.append(number)
        return 2 * number

    caches = _Caches({__name__})
    for _ in range(2):
        assert [doubled(1), doubled(1)] == [2, 2]
        caches.empty()
    assert calls == [1, 1]

    @cache
    def later(number: int) -> int:
        calls.append(number)
        return number

    sys.modules["a_module_more"] = ModuleType("a_module_more")
    try:
        later(3)
        caches.empty()
        later(3)
    finally:
        del sys.modules["a_module_more"]
    assert calls == [1, 1, 3, 3]
