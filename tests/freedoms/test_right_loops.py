"""Right loops, drawn: no MUST and no SHOULD may be held against any of them."""

from __future__ import annotations

import pytest

from harness.wire import WireName, native_wires
from harness_lab.freedoms.draw import allowed, drawn, pairs
from harness_lab.freedoms.measure import held_against, measured, ran
from harness_lab.freedoms.table import AXES, excluded

SEED, LOOPS = 1, 2
WIRES = native_wires()


@pytest.mark.parametrize("wire", WIRES)
def test_a_right_loop_is_blamed_for_nothing(wire: WireName) -> None:
    found = measured(wire, SEED, LOOPS)
    assert found.cases > 50
    assert [str(each) for each in found.blamed] == []


@pytest.mark.parametrize(
    ("case", "freedoms"),
    [
        ("arguments-cut-off.openai-chat.event", "bad-arguments/asks-again tells/everything"),
        ("calls-without-end.openai-chat.event", "side/between"),
        ("code-run-by-the-provider.gemini-generate.event", "delivery/whole"),
        ("one-id-for-two-calls.openai-responses.event", "bad-id/renames calls/last-first tells/everything"),
        ("one-call.bedrock-converse.event", "cache/moves"),
        ("paused-twice-with-thinking-before-a-call.anthropic-messages.event", "own-ids/own"),
        ("paused-twice-with-thinking-before-a-call.anthropic-messages.event", "own-ids/own turn/split"),
        ("tool-raises.anthropic-messages.event", "error-mark/words"),
    ],
)
def test_what_was_a_false_blame_once_is_none(case: str, freedoms: str) -> None:
    wire = next(each for each in WIRES if each in case)
    finished, _ = ran(wire, dict(each.split("/") for each in freedoms.split()), only=case)
    assert [said for each in finished for said in held_against(each)] == []


def test_every_freedom_names_who_permits_it() -> None:
    rows = [each for freedoms in AXES.values() for each in freedoms.values()]
    assert len(rows) >= 60
    assert [str(each) for each in rows if not each.permitted] == []


def test_every_freedom_that_is_excluded_is_in_the_table() -> None:
    rows = {str(each): each for freedoms in AXES.values() for each in freedoms.values()}
    assert {other for each in rows.values() for other in each.excludes} <= rows.keys()


@pytest.mark.parametrize("wire", WIRES)
def test_the_styles_that_cover_take_every_pair_that_a_wire_allows(wire: WireName) -> None:
    styles = drawn(wire, SEED, 200)
    assert not any(map(excluded, styles))
    assert allowed(wire) <= {pair for style in styles for pair in pairs(style)}
