"""What libraries offer to callers who do more than run them once: driven on the real ones, each in its own way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.rules import judge, select
from harness.scenario import shipped
from harness.targets.shipped import SHIPPED
from harness.trace import CallerRecord, EventRecord, Failure, Final, RequestRecord, ToolResult, Trace
from harness.wire import WireName
from tests.case_tables import from_table
from tests.targets.drivers.driving import driven_if_installed as driven
from tests.targets.drivers.driving import found, ran, request, told

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),  # of google-genai
]

A: WireName = "anthropic-messages"
R: WireName = "openai-responses"
C: WireName = "openai-chat"
G: WireName = "gemini-generate"

ASKED_AGAIN = "another-question-after-the-answer"
RESUMED = "resumed-from-what-was-stored"
IN_A_TEXT = "cancelled-while-text-arrives"
IN_A_TOOL = "cancelled-while-a-tool-runs"
STEERED = "said-while-a-tool-runs"
IN_AN_ANSWER = "said-while-the-answer-arrives"
OTHER_MODEL = "switched-model-after-thinking"


@pytest.mark.sampled(4)
@from_table(__file__, "test_what_a_library_does_with_a_conversation")
async def test_what_a_library_does_with_a_conversation(
    target: str, scenario: str, wire: WireName, expected: list[str]
) -> None:
    finished = await driven(target, scenario, wire)
    assert finished.result.error is None
    assert found(finished) == set(expected)


@pytest.mark.parametrize(
    ("target", "wire", "expected"),
    [
        ("google-genai", G, {"history/append-only"}),
        ("openai-agents", C, set()),
        *[("langchain", wire, set[str]()) for wire in (A, R, C)],
    ],
)
async def test_the_answer_that_was_cancelled_is_forgotten(target: str, wire: WireName, expected: set[str]) -> None:
    finished = await driven(target, IN_A_TEXT, wire)
    assert finished.result.error is None
    assert found(finished) == {"caller/shown", *expected}


async def test_a_request_that_is_declined_for_its_form_is_none_of_those_that_the_caller_counts() -> None:
    """The client asks the same again in another form."""
    finished = await driven("anthropic-runner:declined", "cancelled-behind-the-results", A)
    assert not {each.rule for each in finished.result.findings} & {"expect/timeline", "expect/ran"}
    acts = [record for record in finished.trace.records if isinstance(record, CallerRecord | RequestRecord)]
    before = [type(record) for record in acts[: acts.index(next(a for a in acts if isinstance(a, CallerRecord)))]]
    assert before == [RequestRecord] * 3, "the declined one, the same in another form, and that with the results"


async def test_a_run_that_was_cancelled_tells_no_end() -> None:
    finished = await driven("pydantic-ai", IN_A_TEXT, C)
    assert [type(event) for event in told(finished, Final, Failure)] == [Final]


async def test_the_thread_of_a_conversation_goes_on_and_another_process_begins_one() -> None:
    same, resumed = [await driven("anthropic-runner", scenario, A) for scenario in (ASKED_AGAIN, RESUMED)]
    assert [request(same, number)["thread"]["type"] for number in range(4)] == ["create", *["continue"] * 3]
    kinds = [request(resumed, number)["thread"]["type"] for number in range(4)]
    assert kinds == ["create", "continue", "create", "continue"]


async def test_what_was_said_while_an_answer_arrived_is_in_the_next_run_of_the_runner(tmp_path: Path) -> None:
    """It is a turn of the same run, and counts for its limit."""
    limited = tmp_path / "limited.yaml"
    scenario = (shipped() / "universal" / f"{IN_AN_ANSWER}.yaml").read_text(encoding="utf-8")
    limited.write_text(scenario.replace("timeline:", "turn_limit: 2\ntimeline:"), encoding="utf-8")
    whole, cut = await driven("anthropic-runner", IN_AN_ANSWER, A), await ran("anthropic-runner", limited, A)
    assert [request(whole, number)["thread"]["type"] for number in range(3)] == ["create", *["continue"] * 2]
    assert [event.outcome for event in told(whole, Final)] == ["completed"]
    (final,) = told(cut, Final)
    assert (len(cut.trace.exchanges), final.outcome) == (2, "turn-limit")
    assert final.text == "It is 18 degrees in Oslo, with hardly a cloud."


# --- what the rules make of it ---------------------------------------------------------------------------------------


def without_results(trace: Trace, *, ended: tuple[str, ...] | None = None) -> Trace:
    """The trace without its toolResult events; ``ended`` takes the place of what the harness knows to have ended."""
    records = [
        replace(record, ended=ended) if isinstance(record, CallerRecord) and ended is not None else record
        for record in trace.records
        if not (isinstance(record, EventRecord) and isinstance(record.event, ToolResult))
    ]
    return replace(trace, records=tuple(records))


def of_rule(findings: Any, rule: str) -> list[Finding]:
    return [each for each in findings if each.rule == rule]


async def test_a_tool_that_had_ended_before_the_cancellation_may_have_its_own_result() -> None:
    """The library had not yet told that it has ended; the harness, which has run it, knows."""
    trace = (await driven("pydantic-ai", IN_A_TOOL, C)).trace
    (cancel,) = [record for record in trace.records if isinstance(record, CallerRecord) and record.did == "cancel"]
    assert len(cancel.ended) == 1
    assert of_rule(judge(without_results(trace)), "caller/cancelled-result") == []
    (wrong,) = of_rule(judge(without_results(trace, ended=())), "caller/cancelled-result")
    assert (wrong.level, wrong.got) == ("MUST", '"{\\"celsius\\":18}"')


async def test_who_has_cancelled_a_run_need_not_hear_how_its_tools_have_ended() -> None:
    cancelled, whole = [(await driven("pydantic-ai", each, C)).trace for each in (IN_A_TOOL, STEERED)]
    assert of_rule(judge(without_results(cancelled)), "order/tool-result-reported") == []
    assert len(of_rule(judge(without_results(whole)), "order/tool-result-reported")) == 1


async def test_thinking_of_another_model_of_the_same_provider_is_a_remark() -> None:
    trace = (await driven("pydantic-ai", OTHER_MODEL, A)).trace
    (remark,) = of_rule(judge(trace, replace(select(()), info=True)), "caller/switched-thinking")
    assert remark.level == "INFO"


@pytest.mark.parametrize("name", SHIPPED)
def test_no_library_is_asked_to_compact(name: str) -> None:
    """None of them has it, so no driver looks at ``compacts``, and such a run would be one without a question."""
    assert "compact" not in SHIPPED[name].declaration.capabilities
