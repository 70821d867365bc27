"""Loops in Python, driven over loopback HTTP: how they end, and what that is told as."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.server import serving
from harness.errors import BadInput
from harness.runner.execute import Finished, execute
from harness.runner.opening import open_target
from harness.runner.plan import plan
from harness.scenario import load, shipped
from harness.targets import Declaration
from harness.targets.function import FunctionTarget, load_function
from harness.trace import FAILURES, OUTCOMES, Assistant, Failure, Final, ToolResult, ToolStart, problem_of
from harness.wire import WireName
from tests.case_tables import from_table
from tests.targets import loops

pytestmark = pytest.mark.anyio

LOOPS = "tests.targets.loops"


async def driven(
    function: str,
    scenario: str = "answer-not-streamed",
    *,
    wire: WireName = "openai-chat",
    folder: Path | None = None,
    deadline: float = 60.0,
) -> Finished:
    """One case, run by a loop of ``loops``."""
    endpoints = Endpoints()
    target = FunctionTarget(function, f"{LOOPS}:{function}", Declaration(frozenset({wire})))
    (case, *_) = plan(load([(folder or shipped() / "universal") / f"{scenario}.yaml"]), target=target)
    try:
        async with serving(endpoints) as base_url:
            (finished,) = await execute([case], target, endpoints, base_url, deadline=deadline)
    finally:
        await target.close()
    return finished


@pytest.mark.parametrize("function", ["answers", "blocks", "blocks_its_event_loop"])
async def test_a_function_ends_by_returning_and_what_it_returns_is_told(function: str) -> None:
    finished = await driven(function)
    assert (finished.result.verdict, finished.result.error) == ("pass", None)
    (end,) = [told.event for _, told in finished.trace.events]
    assert end == Final("", text="Mont Blanc is 4,806 metres high.")


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
async def test_what_a_run_has_left_open_is_closed_before_the_next_one() -> None:
    """A client that is collected later closes, by its number, a connection that has come in the place of its own."""
    endpoints = Endpoints()
    target = FunctionTarget("forgets", f"{LOOPS}:forgets_its_client", Declaration(frozenset({"openai-chat"})))
    (case, *_) = plan(load([shipped() / "universal" / "answer-not-streamed.yaml"]), target=target)
    loops.STILL_OPEN.clear()
    try:
        async with serving(endpoints) as base_url:
            finished = await execute([case] * 3, target, endpoints, base_url, jobs=1)
    finally:
        await target.close()
    assert [each.result.verdict for each in finished] == ["pass"] * 3
    assert loops.STILL_OPEN == [0, 0, 0]


async def test_tools_that_the_harness_runs_are_seen_and_belong_to_their_calls() -> None:
    finished = await driven("answers", "tool-returns-not-streamed")
    assert (finished.result.verdict, finished.result.findings) == ("pass", ())
    start, result, _ = [told.event for _, told in finished.trace.events]
    assert isinstance(start, ToolStart)
    assert isinstance(result, ToolResult)
    assert start.id == result.id
    assert start.id.startswith("call_")


async def test_a_class_is_made_and_run_and_tells_its_own_end() -> None:
    finished = await driven("Agent")
    assert finished.result.verdict == "pass"
    assert [type(told.event) for _, told in finished.trace.events] == [Assistant, Final]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        ("raises", "ValueError: boom"),
        ("leaves", "_Left: the loop asked to end its process, with exit code 3"),
        ("cancels_itself", "_Left: the loop cancelled itself"),
    ],
)
async def test_what_a_loop_raises_is_its_error(function: str, said: str) -> None:
    finished = await driven(function)
    assert finished.result.verdict == "fail"
    assert [told.event for _, told in finished.trace.events] == [Failure("raised", said)]
    assert "final/reported" in [evidence.rule for evidence in finished.result.findings]


async def test_a_loop_that_asks_nothing_fails_for_that_alone() -> None:
    finished = await driven("asks_nothing")
    assert (finished.result.verdict, finished.result.error) == ("fail", None)
    (found,) = finished.result.findings
    assert (found.rule, found.level, found.expected) == ("target/request", "MUST", "requests on openai-chat")
    assert "No request has reached the endpoint" in found.detail


@pytest.mark.parametrize("function", ["answers", "blocks"])
@pytest.mark.parametrize("wire", ["openai-responses", "anthropic-messages", "gemini-generate"])
async def test_a_loop_that_asks_on_another_wire_fails_for_that_alone(function: str, wire: WireName) -> None:
    finished = await driven(function, wire=wire)
    assert (finished.result.verdict, finished.result.error) == ("fail", None)
    (found,) = finished.result.findings
    assert (found.rule, found.level, found.at) == ("target/wire", "MUST", 2)
    assert (found.expected, found.got) == (f"requests on {wire}", "POST /v1/chat/completions (openai-chat)")


async def test_a_dialect_is_asked_on_the_path_of_its_wire() -> None:
    finished = await driven("blocks", "dialect", wire="text-tags", folder=Path(__file__).parent / "data")
    assert (finished.result.verdict, finished.result.findings) == ("pass", ())
    assert [exchange.request.path for exchange in finished.trace.exchanges] == ["/v1/chat/completions"]


async def test_a_loop_that_changes_its_wire_in_the_middle_fails_for_that_too() -> None:
    finished = await driven("changes_its_wire", "tool-returns-not-streamed")
    rules = [found.rule for found in finished.result.findings]
    assert finished.result.verdict == "fail"
    assert rules[0] == "target/wire"
    assert finished.result.findings[0].got == "POST /v1/messages (anthropic-messages)"
    assert "history/model-text" in rules or "expect/sent" in rules  # what is wrong on the wire itself is still reported


@from_table(__file__, "test_what_is_no_event_is_refused_where_it_is_emitted")
async def test_what_is_no_event_is_refused_where_it_is_emitted(function: str, said: str) -> None:
    finished = await driven(function)
    assert finished.result.verdict == "error"
    error = finished.result.error or ""
    line = inspect.getsourcelines(getattr(loops, function))[1]
    place, _, rest = error.partition(": emit: ")
    assert rest.startswith(said)
    assert Path(place.rpartition(":")[0]) == Path(loops.__file__)
    assert line < int(place.rpartition(":")[2]) < line + 10


@pytest.mark.parametrize("kind", [*FAILURES])
async def test_every_kind_that_is_documented_is_taken(kind: str) -> None:
    assert problem_of(Failure(kind, "")) == ""
    assert all(problem_of(Final("", outcome)) == "" for outcome in OUTCOMES)


async def test_a_loop_that_hangs_is_cancelled_at_its_deadline() -> None:
    loops.CANCELLED.clear()
    finished = await driven("hangs", deadline=0.05)
    assert (finished.result.verdict, [each.rule for each in finished.result.findings]) == ("fail", ["target/end"])
    assert loops.CANCELLED.is_set()


async def test_a_loop_that_cannot_be_imported_is_every_cases_error() -> None:
    finished = await driven("absent")
    assert finished.result.verdict == "error"
    assert "has no 'absent'" in (finished.result.error or "")


@pytest.mark.parametrize(
    ("address", "problem"),
    [(f"{LOOPS}:nobody", "has no 'nobody'"), (f"{LOOPS}:NOT_CALLABLE", "expected a function, or a class")],
)
def test_an_address_that_names_no_loop_is_told(address: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        load_function(address)


def test_a_package_that_is_nowhere_is_refused_before_anything_runs() -> None:
    with pytest.raises(BadInput, match=r"no package 'nowhere_to_be_found' can be imported from here"):
        open_target("nowhere_to_be_found.agent:run", Endpoints())
    assert open_target(f"{LOOPS}:answers", Endpoints()).isolation == "worker"
