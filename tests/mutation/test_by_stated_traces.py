"""The judge of the rules about traces: each trace by itself, held against what is stated of it."""

from __future__ import annotations

import sys
from functools import cache
from types import ModuleType

from harness_lab.mutants.traces import SMALL_RUNS
from harness_lab.mutation.by_stated_traces import StatedTraces
from harness_lab.mutation.covering import _Caches
from harness_lab.mutation.judging import Fault


def judged(*items: str, rules: tuple[str, ...] = (), told_as: str = "") -> dict[str, Fault | None]:
    """What the judge says of small runs; ``told_as`` is another name for the first of them."""
    judge = StatedTraces()
    traces = {}
    for item in items:
        name, wire = item.split()
        trace = SMALL_RUNS[name].on(wire)
        assert trace is not None
        traces[f"{told_as or name} {wire}"] = trace
    judge._traces, judge._rules = traces, rules
    faults: dict[str, Fault | None] = {}
    judge.run(judge.items(), faults.__setitem__)
    return faults


def test_what_is_stated_is_no_fault() -> None:
    items = ("short-41-late openai-chat", "short-40-late openai-chat")
    assert judged(*items, rules=("timing/preview",)) == {**dict.fromkeys(items), "record timing/preview": None}


def test_a_finding_that_is_not_stated_is_one() -> None:
    ((item, fault),) = judged("short-41-late openai-chat", told_as="short-40-late").items()
    assert item == "short-40-late openai-chat"
    assert fault is not None
    assert fault[0] == "finding"
    assert fault[1].startswith("found, and not stated: timing/start")


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
