"""What libraries offer to callers who do more than run them once: driven on the real ones, each in its own way."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.finding import Finding
from harness.rules import judge, select
from harness.runner.execute import Finished
from harness.scenario import Resolve, shipped
from harness.targets import CaseRun
from harness.targets.drivers import google_genai, langchain, openai_agents, pydantic_ai
from harness.targets.shipped import SHIPPED
from harness.trace import CallerRecord, EventRecord, Failure, Final, RequestRecord, ToolResult, Trace
from harness.wire import WireName
from tests.targets.drivers.driving import found, mutilated, ran, request, told

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
IN_A_CALL = "cancelled-while-the-second-call-arrives"
IN_A_TOOL = "cancelled-while-a-tool-runs"
THOUGHTS = "another-question-after-thoughts-alone"
STEERED = "said-while-a-tool-runs"
IN_AN_ANSWER = "said-while-the-answer-arrives"
IN_A_CONTAINER = "resumed-in-a-container"
OTHER_MODEL = "switched-model-after-thinking"
TO_CHAT = "switched-from-anthropic-messages-to-openai-chat"
TO_MISTRAL = "switched-to-mistral"
FAILED = "resumed-after-a-failed-call"
APPROVED = "approved-in-a-later-run"
DENIED = "denied-in-a-later-run"
APPROVED_AFTER_A_RESTART = "approved-after-a-restart"
ONE_AFTER_THE_OTHER = "approved-one-after-the-other"
ASKED_INSTEAD = "another-question-while-a-call-waits"
ASKED_INSTEAD_AFTER_A_RESTART = "another-question-after-a-restart-while-a-call-waits"
SWITCHED_INSTEAD = "switched-while-a-call-waits"

PRINTED = {"history/result-value"}
"""openai-agents sends what a function returns as str() prints it."""

FORGOTTEN = {"history/model-text", "history/model-calls", "history/results"}
"""The turn that was going on when the run was cancelled is not in the next request."""

RAISED = {"final/open-call", "expect/turns", "expect/requests"}
"""What the tool has raised ends the first run; the next one has its messages all the same."""

UNANSWERED = {"ANT-01", "history/results", "expect/outcome", "expect/turns"}
"""Its calls are, and none of their results."""

UNREAD = {"stream/thinking", "OAC-19", "expect/outcome", "expect/turns"}
"""ChatOpenAI does not read reasoning_content, so a server that wants it back refuses the next request."""


async def driven(target: str, scenario: str, wire: WireName) -> Finished:
    """The case, or a skipped test where a package of the library is missing."""
    skip_without(target)
    return await ran(target, scenario, wire)


def skip_without(target: str) -> None:
    for package, version in SHIPPED[target].versions.items():
        if version is None:
            pytest.skip(f"{package} is not installed: {SHIPPED[target].install}")


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("target", "scenario", "wire", "expected"),
    [
        *[("pydantic-ai", scenario, A, set()) for scenario in (ASKED_AGAIN, RESUMED, IN_A_TEXT, STEERED)],
        *[("pydantic-ai", IN_A_TOOL, wire, set()) for wire in (A, R, C, G)],
        ("pydantic-ai", OTHER_MODEL, A, set()),
        ("pydantic-ai", TO_CHAT, A, set()),
        ("pydantic-ai", TO_MISTRAL, C, set()),
        *[("pydantic-ai", FAILED, wire, RAISED) for wire in (A, R, C, G)],
        ("openai-agents", ASKED_AGAIN, R, PRINTED),
        ("openai-agents", RESUMED, R, PRINTED),
        ("openai-agents", IN_A_TOOL, C, FORGOTTEN),
        ("anthropic-runner", ASKED_AGAIN, A, set()),
        ("anthropic-runner", RESUMED, A, set()),
        ("anthropic-runner", IN_A_TEXT, A, set()),
        ("anthropic-runner", STEERED, A, set()),
        ("anthropic-runner", OTHER_MODEL, A, set()),
        ("anthropic-runner", IN_AN_ANSWER, A, set()),
        ("anthropic-runner", IN_A_CONTAINER, A, set()),
        ("anthropic-runner", IN_A_TOOL, A, UNANSWERED),
        ("anthropic-runner:unthreaded", RESUMED, A, set()),
        ("anthropic-runner:unthreaded", IN_A_CONTAINER, A, set()),
        ("anthropic-runner:unthreaded", IN_A_TOOL, A, UNANSWERED),
        ("google-genai", ASKED_AGAIN, G, set()),
        ("google-genai", RESUMED, G, set()),
        ("google-genai:sync", RESUMED, G, set()),
        ("langchain", ASKED_AGAIN, R, set()),
        ("langchain", RESUMED, A, set()),
        *[("langchain", IN_A_CALL, wire, set()) for wire in (A, R, C)],
        ("langchain", IN_A_TOOL, C, set()),
        ("langchain", THOUGHTS, A, {"ANT-LAST", "expect/outcome", "expect/turns"}),
        ("langchain", TO_CHAT, A, set()),
        *[("langchain", scenario, wire, set()) for scenario in (APPROVED, DENIED) for wire in (A, R, C)],
        *[("langchain", APPROVED_AFTER_A_RESTART, wire, set()) for wire in (A, R)],
        ("langchain", APPROVED_AFTER_A_RESTART, C, UNREAD),
        ("langchain", ONE_AFTER_THE_OTHER, A, set()),
        ("langchain", ASKED_INSTEAD, R, set()),
        ("langchain", ASKED_INSTEAD_AFTER_A_RESTART, A, set()),
        ("langchain", SWITCHED_INSTEAD, C, set()),
    ],
)
async def test_what_a_library_does_with_a_conversation(
    target: str, scenario: str, wire: WireName, expected: set[str]
) -> None:
    finished = await driven(target, scenario, wire)
    assert finished.result.error is None
    assert found(finished) == expected


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


# --- a driver that does not do its work is seen ----------------------------------------------------------------------


async def forgets_what_was_said(case_run: CaseRun) -> None:
    case_run.state.pop("conversation", None)
    await pydantic_ai.run(case_run)


async def is_deaf_to_the_user(case_run: CaseRun) -> None:
    await pydantic_ai.run(replace(case_run, on_say=lambda _say: None))


async def is_deaf_to_its_caller(case_run: CaseRun) -> None:
    await openai_agents.run(replace(case_run, on_cancel=lambda _cancel: None, has_timeline=False))


async def forgets_what_was_stored(case_run: CaseRun) -> None:
    case_run.state.pop("conversation", None)
    await google_genai.run(case_run)


async def asks_nobody(case_run: CaseRun) -> None:
    await langchain.run(replace(case_run, tools=[replace(tool, kind="function") for tool in case_run.tools]))


async def approves_what_was_denied(case_run: CaseRun) -> None:
    approved: Any = [{name: Resolve("approve", None) for name in words} for words in case_run.resolve]
    await langchain.run(replace(case_run, resolve=approved))


async def forgets_what_was_decided(case_run: CaseRun) -> None:
    case_run.state.pop("decided", None)
    await langchain.run(case_run)


async def forgets_what_waits(case_run: CaseRun) -> None:
    case_run.state.pop("conversation", None)
    await langchain.run(case_run)


@pytest.mark.parametrize(
    ("sound", "driver", "scenario", "wire", "rule"),
    [
        ("pydantic-ai", forgets_what_was_said, ASKED_AGAIN, R, "history/append-only"),
        ("pydantic-ai", forgets_what_was_said, TO_CHAT, A, "caller/switched-history"),
        ("pydantic-ai", is_deaf_to_the_user, STEERED, C, "caller/message-sent"),
        ("openai-agents", is_deaf_to_its_caller, IN_A_TEXT, C, "history/append-only"),
        ("google-genai", forgets_what_was_stored, RESUMED, G, "history/append-only"),
        ("langchain", asks_nobody, APPROVED, A, "execution/unapproved"),
        ("langchain", approves_what_was_denied, DENIED, R, "caller/approved"),
        ("langchain", forgets_what_was_decided, ONE_AFTER_THE_OTHER, C, "expect/outcome"),
        ("langchain", forgets_what_waits, ASKED_INSTEAD, A, "history/append-only"),
    ],
)
async def test_a_mutilated_driver_is_found(sound: str, driver: Any, scenario: str, wire: WireName, rule: str) -> None:
    skip_without(sound)
    finished = await mutilated(sound, driver, scenario, wire)
    assert rule in found(finished)


@pytest.mark.parametrize("name", SHIPPED)
def test_no_library_is_asked_to_compact(name: str) -> None:
    """None of them has it, so no driver looks at ``compacts``, and such a run would be one without a question."""
    assert "compact" not in SHIPPED[name].declaration.capabilities
