"""What a system prompt and tools that change mean for a loop, and what they do not hide."""

from __future__ import annotations

import pytest

from harness.rules import judge
from harness.wire import NATIVE_WIRES, NativeWireName
from harness_lab.mutants.traces import SMALL_RUNS

each_wire = pytest.mark.parametrize("wire", NATIVE_WIRES)


def found(name: str, wire: NativeWireName) -> list[tuple[str, str, str]]:
    """(rule, level, impact) of everything in a small run about what goes back."""
    trace = SMALL_RUNS[name].on(wire)
    assert trace is not None
    return [(each.rule, each.level, each.impact) for each in judge(trace, ["history"])]


COSTS = ("history/append-only", "SHOULD", "style")
LOSES = ("history/append-only", "MUST", "unsafe")


@each_wire
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("prompt-other", [COSTS]),
        ("prompt-other-in-a-program", [COSTS]),
        ("prompt-counted", [COSTS, COSTS]),
        ("prompt-counted-handed", [COSTS, COSTS]),
        ("prompt-in-two", []),
        ("prompt-gone", [LOSES]),
        ("prompt-other-handed", [LOSES]),
        ("question-gone", [LOSES]),
    ],
)
def test_another_system_prompt_costs_and_a_lost_one_misleads(
    wire: NativeWireName, name: str, expected: list[tuple[str, str, str]]
) -> None:
    assert found(name, wire) == expected


@each_wire
def test_another_system_prompt_hides_nothing(wire: NativeWireName) -> None:
    assert found("prompt-counted-and-text-lost", wire) == [COSTS, ("history/model-text", "MUST", "unsafe")]


@each_wire
@pytest.mark.parametrize(
    ("name", "impact", "got"),
    [
        ("tool-gone", "unsafe", "depth is no longer offered"),
        ("tool-gone-and-added", "unsafe", "depth is no longer offered; own is offered only now"),
        ("tool-added", "style", "own is offered only now"),
        ("tools-other", "style", "depth, tide are declared in another way"),
    ],
)
def test_a_tool_that_is_missing_is_no_matter_of_style(wire: NativeWireName, name: str, impact: str, got: str) -> None:
    trace = SMALL_RUNS[name].on(wire)
    assert trace is not None
    (finding,) = judge(trace, ["history/tools"])
    assert (finding.level, finding.impact, finding.got) == ("SHOULD", impact, got)
