"""Progress: what is said while a run goes on, at which time, by a clock that the test moves."""

from __future__ import annotations

import io
from dataclasses import replace

import pytest
from rich.console import Console

from harness.report.progress import Estimate, Lines, State, duration, showing
from harness.runner.results import CaseResult, Verdict

CASE = CaseResult("a", "a", "openai-chat", "mine", "script", "universal", "event", 0, "pass", 0.25, 1)


def case(id: str, verdict: Verdict = "pass") -> CaseResult:
    return replace(CASE, id=id, verdict=verdict)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def lines(ids: str, *, verbosity: int = 0, per_case: float | None = None) -> tuple[Clock, list[str], Lines]:
    clock, written = Clock(), list[str]()
    return clock, written, Lines(State(ids.split(), per_case, clock), written.append, clock, verbosity)


def test_in_a_pipe_the_state_is_written_every_five_seconds_though_no_case_ends() -> None:
    clock, written, shown = lines("a b c d e f g h")
    for clock.now in (0.5, 4.9):
        shown.look()
    assert written == []
    clock.now = 5
    shown.look()
    shown.ended(case("a", "fail"))
    clock.now = 9.9
    shown.ended(case("b"))
    clock.now = 10
    shown.look()
    assert written == ["  0/8, 0 failed", "  fail  a", "  2/8, 1 failed"]


def test_the_estimate_is_that_of_the_last_run_until_enough_cases_have_ended() -> None:
    clock = Clock()
    estimate = Estimate(105, 0.1, clock)
    assert estimate.left == pytest.approx(10.5)
    assert Estimate(105, None, clock).left is None
    for clock.now in (8, 9, 10, 11):
        estimate.ended()
    assert estimate.left == pytest.approx(10.1)
    clock.now = 12
    estimate.ended()
    assert estimate.left == pytest.approx(100), "1 s for each case after the first, whose imports took 8 s"


def test_a_line_has_the_estimate() -> None:
    clock, written, shown = lines("a b c d e f g h", per_case=2)
    clock.now = 5
    shown.ended(case("a"))
    assert written == ["  1/8, 0 failed, about 15 s left"]


def test_verbose_names_every_case_and_quiet_none() -> None:
    _, every, verbose = lines("a b", verbosity=1)
    _, none, quiet = lines("a b", verbosity=-1)
    for each in (verbose, quiet):
        each.ended(case("a"))
        each.ended(case("b", "error"))
    assert every == ["  pass  a  0.2 s", "  error  b  0.2 s"]
    assert none == []


def test_the_current_case_is_the_first_that_has_not_ended() -> None:
    state = State(["a", "b", "c"], None, Clock())
    state.ended(case("b"))
    assert (state.current, state.done) == ("a", 1)
    state.ended(case("a"))
    assert state.current == "c"


def shown(console: Console, per_case: float | None) -> list[str]:
    written: list[str] = []
    with showing("mine", ["a", "b"], console, written.append, per_case=per_case, clock=Clock()) as ended:
        ended(case("a"))
        ended(case("b"))
    return written


def test_a_long_run_announces_how_long_it_takes_and_a_short_one_does_not() -> None:
    assert shown(Console(file=io.StringIO()), 10) == ["driving mine: 2 cases, about 20 s"]
    assert shown(Console(file=io.StringIO()), 1) == ["driving mine: 2 cases"]


def test_on_a_terminal_the_current_case_and_the_time_left_are_beside_the_bar() -> None:
    terminal = Console(file=(drawn := io.StringIO()), force_terminal=True, width=120)
    assert shown(terminal, 10) == []
    assert "about 20 s left  a" in drawn.getvalue()


@pytest.mark.parametrize(("seconds", "words"), [(0.2, "1 s"), (8.6, "9 s"), (42, "40 s"), (250, "4 min")])
def test_estimates_are_rounded(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_the_first_bad_cases_are_named_and_more_are_only_counted() -> None:
    clock, written, shown = lines("a b c d e f g")
    for id in "abcdefg":
        shown.ended(case(id, "fail"))
    assert written == [f"  fail  {id}" for id in "abcde"]
    clock.now = 5
    shown.look()
    assert written[-1] == "  7/7, 7 failed"
