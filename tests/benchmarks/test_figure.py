"""What a figure says: medians, ratios within a round, and whether its goals are met."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from benchmarks.tracking.figure import Figure, Goal, LeftOut, Row, row_from
from benchmarks.tracking.table import line, shown, times


def test_a_ratio_is_the_median_of_those_within_a_round() -> None:
    figure = Figure.of("x", [1.0, 10.0, 2.0], beside="peer", theirs=[2.0, 10.0, 8.0])
    assert (figure.ours, figure.theirs, figure.ratio) == (2.0, 8.0, 0.5)
    assert (figure.least, figure.most) == (0.25, 1.0)


def test_without_a_peer_the_spread_is_ours() -> None:
    figure = Figure.of("x", [3.0, 1.0, 2.0])
    assert (figure.ours, figure.least, figure.most) == (2.0, 1.0, 3.0)
    assert (figure.theirs, figure.ratio) == (None, None)


def test_rounds_of_a_peer_that_are_not_ours_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        Figure.of("x", [1.0, 2.0], beside="peer", theirs=[1.0])


@pytest.mark.parametrize(
    ("goal", "met"),
    [
        (Goal("ours", "at most", 2.0), True),
        (Goal("ours", "at most", 1.99), False),
        (Goal("ours", "at least", 2.0), True),
        (Goal("ours", "at least", 2.01), False),
        (Goal("ratio", "at most", 0.5), True),
        (Goal("ratio", "at most", 0.49), False),
        (Goal("ratio", "at least", 0.5), True),
        (Goal("ratio", "at least", 0.51), False),
    ],
)
def test_a_goal_is_met_up_to_its_limit(goal: Goal, met: bool) -> None:
    figure = Figure.of("x", [2.0], goal, beside="peer", theirs=[4.0])
    assert figure.missed == (() if met else (goal,))
    assert ("**missed**" in line(figure)) is not met


def test_a_goal_of_the_ratio_needs_a_peer() -> None:
    with pytest.raises(AssertionError, match="needs a peer"):
        _ = Figure.of("x", [2.0], Goal("ratio", "at most", 1.0)).missed


@pytest.mark.parametrize(
    "row",
    [
        Figure.of("x", [2.0], Goal("ratio", "at most", 1.0), beside="peer", theirs=[4.0], unit="/s", counted="wall"),
        Figure.of("y", [1.0, 2.0], unit="exponent"),
        LeftOut("z", "node is not installed"),
    ],
)
def test_a_row_is_the_same_behind_json(row: Row) -> None:
    assert row_from(json.loads(json.dumps(asdict(row)))) == row


# --- in Markdown ----------------------------------------------------------------------------------------------


def test_a_row_of_the_table_says_all_of_its_figure() -> None:
    goals = Goal("ours", "at most", 0.1e-3), Goal("ratio", "at most", 1 / 500)
    figure = Figure.of("a lookup", [17.3e-6, 18e-6, 16e-6], *goals, beside="vcrpy", theirs=[0.05, 0.05, 0.005])
    assert line(figure) == (
        "| a lookup | CPU | 17.3 us | vcrpy | 50.0 ms | 1/2,778 | 1/2,890 to 1/312 "
        "| at most 100 us: met; ratio at most 1/500: met |\n"
    )


def test_what_was_left_out_says_why() -> None:
    assert line(LeftOut("beside aimock", "node is not installed")).startswith(
        "| beside aimock | | left out: node is not installed |"
    )


@pytest.mark.parametrize("row", [Figure.of("x", [2.0]), LeftOut("x", "y")])
def test_every_row_has_all_columns(row: Row) -> None:
    assert line(row).count("|") == 9


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (12.8, "s", "12.8 s"),
        (0.0718, "s", "71.8 ms"),
        (0.46e-6, "s", "0.46 us"),
        (0.0, "s", "0.00 us"),
        (1234.0, "s", "1,234 s"),
        (-0.0718, "s", "-71.8 ms"),
        (1.5e6, "B", "1.50 MB"),
        (46068.4, "/s", "46,068 /s"),
        (1.014, "exponent", "size^1.01"),
        (-0.1, "exponent", "size^-0.10"),
    ],
)
def test_a_value_is_told_in_the_scale_that_suits_it(value: float, unit: str, text: str) -> None:
    assert shown(value, unit) == text  # type: ignore[arg-type]  # the units are those of the list above


@pytest.mark.parametrize(("ratio", "text"), [(1.056, "1.06"), (12.3, "12.3"), (0.5, "0.50"), (0.25, "1/4.00")])
def test_a_ratio_below_a_half_is_told_as_a_part(ratio: float, text: str) -> None:
    assert times(ratio) == text
