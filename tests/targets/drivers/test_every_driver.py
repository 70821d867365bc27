"""What is alike for all drivers: runs that go back as they came, what libraries are known to do, mutilated drivers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from harness.scenario import Resolve
from harness.targets import CaseRun
from harness.targets.function import FunctionTarget, load_function
from harness.targets.shipped import SHIPPED
from harness.trace import Assistant, Event, Failure, Final, Thinking, ToolResult, ToolStart
from harness.wire import WireName
from tests.case_tables import from_table
from tests.targets.drivers.driving import driven, driven_if_installed, found, skip_without, told

pytestmark = [
    pytest.mark.anyio,
    # Google's SDK inherits from a class of aiohttp's, which it uses where it is installed.
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:Received unexpected tool content block:UserWarning"),
    # LangChain keeps the connections of its models open, and botocore the socket of a stream that breaks off.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@from_table(__file__, "test_a_run_is_reported_and_goes_back_as_it_came")
async def test_a_run_is_reported_and_goes_back_as_it_came(
    target: str, scenario: str, wire: WireName, expected: list[str]
) -> None:
    finished = await driven_if_installed(target, scenario, wire)
    assert (finished.result.error, found(finished)) == (None, set(expected))
    assert expected or finished.result.verdict == "pass"


@from_table(__file__, "test_what_a_library_is_known_to_do_is_found")
async def test_what_a_library_is_known_to_do_is_found(
    target: str, scenario: str, wire: WireName, rules: list[str]
) -> None:
    finished = await driven_if_installed(target, scenario, wire)
    assert finished.result.verdict == "fail"
    assert set(rules) <= found(finished)


@from_table(__file__, "test_the_reason_in_the_last_message_is_the_outcome")
async def test_the_reason_in_the_last_message_is_the_outcome(
    target: str, scenario: str, wire: WireName, outcome: str
) -> None:
    finished = await driven_if_installed(target, scenario, wire)
    (end,) = told(finished, Final, Failure)
    assert end.outcome == outcome
    assert end.text == "".join(event.text for event in told(finished, Assistant))


# --- a driver that does not do its work is seen ---------------------------------------------------------------------

Mutilation = Callable[[CaseRun], CaseRun]
"""The case as a driver sees it that does not do all of its work."""


def emitting(case_run: CaseRun, changed: Callable[[Event], Event | None]) -> CaseRun:
    def emit(event: Event) -> None:
        if (left := changed(event)) is not None:
            case_run.emit(left)

    return replace(case_run, emit=emit)


def keeps_its_thoughts(case_run: CaseRun) -> CaseRun:
    return emitting(case_run, lambda event: None if isinstance(event, Thinking) else event)


def starts_nothing(case_run: CaseRun) -> CaseRun:
    return emitting(case_run, lambda event: None if isinstance(event, ToolStart) else event)


def returns_nothing(case_run: CaseRun) -> CaseRun:
    return emitting(case_run, lambda event: None if isinstance(event, ToolResult) else event)


def keeps_the_first_piece(case_run: CaseRun) -> CaseRun:
    seen: set[str] = set()

    def first(event: Event) -> Event | None:
        if isinstance(event, Assistant):
            if event.id in seen:
                return None
            seen.add(event.id)
        return event

    return emitting(case_run, first)


def calls_every_result_a_success(case_run: CaseRun) -> CaseRun:
    return emitting(case_run, lambda event: replace(event, ok=True) if isinstance(event, ToolResult) else event)


def calls_every_end_an_answer(case_run: CaseRun) -> CaseRun:
    return emitting(case_run, lambda event: replace(event, outcome="completed") if isinstance(event, Final) else event)


def says_nothing_of_a_limit(case_run: CaseRun) -> CaseRun:
    def completed(event: Event) -> Event:
        limited = isinstance(event, Final) and event.outcome == "turn-limit"
        return replace(event, outcome="completed") if limited else event

    return emitting(case_run, completed)


def forgets_its_limit(case_run: CaseRun) -> CaseRun:
    return replace(case_run, turn_limit=None)


def forgets_the_caller(case_run: CaseRun) -> CaseRun:
    return replace(case_run, caller={})


def is_deaf_to_the_user(case_run: CaseRun) -> CaseRun:
    return replace(case_run, on_say=lambda _say: None)


def is_deaf_to_its_caller(case_run: CaseRun) -> CaseRun:
    return replace(case_run, on_cancel=lambda _cancel: None, has_timeline=False)


def forgets_the_conversation(case_run: CaseRun) -> CaseRun:
    case_run.state.pop("conversation", None)
    return case_run


def forgets_what_was_decided(case_run: CaseRun) -> CaseRun:
    case_run.state.pop("decided", None)
    return case_run


def forgets_what_was_approved(case_run: CaseRun) -> CaseRun:
    return replace(case_run, resolve=())


def asks_nobody(case_run: CaseRun) -> CaseRun:
    return replace(case_run, tools=[replace(tool, kind="function") for tool in case_run.tools])


def approves_what_was_denied(case_run: CaseRun) -> CaseRun:
    approved: Any = [{name: Resolve("approve", None) for name in words} for words in case_run.resolve]
    return replace(case_run, resolve=approved)


A: WireName = "anthropic-messages"
B: WireName = "bedrock-converse"
C: WireName = "openai-chat"
G: WireName = "gemini-generate"
R: WireName = "openai-responses"


@pytest.mark.parametrize(
    ("target", "mutilation", "scenario", "wire", "rules"),
    [
        ("anthropic-runner", forgets_the_caller, "response-edited", A, ["expect/sent"]),
        ("anthropic-runner", calls_every_end_an_answer, "truncated-text", A, ["final/outcome"]),
        ("google-genai", forgets_the_conversation, "resumed-from-what-was-stored", G, ["history/append-only"]),
        ("google-genai", keeps_its_thoughts, "thinking-before-text", G, ["stream/thinking"]),
        ("google-genai:sync", says_nothing_of_a_limit, "turn-limit", G, ["guardrail/limit-reported"]),
        ("google-genai:sync", calls_every_end_an_answer, "truncated-text", G, ["final/outcome"]),
        ("langchain", approves_what_was_denied, "denied-in-a-later-run", R, ["caller/approved"]),
        ("langchain", asks_nobody, "approved-in-a-later-run", A, ["execution/unapproved"]),
        ("langchain", calls_every_result_a_success, "unknown-tool", A, ["expect/events"]),
        ("langchain", forgets_the_conversation, "another-question-while-a-call-waits", A, ["history/append-only"]),
        ("langchain", forgets_what_was_decided, "approved-one-after-the-other", C, ["expect/outcome"]),
        ("langchain", starts_nothing, "tool-returns", A, ["order/tool-started"]),
        ("openai-agents", calls_every_result_a_success, "arguments-cut-off", C, ["execution/arguments"]),
        ("openai-agents", forgets_its_limit, "turn-limit", C, ["guardrail/turn-limit"]),
        ("openai-agents", is_deaf_to_its_caller, "cancelled-while-text-arrives", C, ["history/append-only"]),
        ("openai-agents", keeps_its_thoughts, "thinking-before-text", C, ["stream/thinking"]),
        ("pydantic-ai", asks_nobody, "unapproved-calls-approved", A, ["execution/unapproved", "execution/waiting"]),
        ("pydantic-ai", calls_every_result_a_success, "output-beside-waiting-calls", A, ["execution/unapproved"]),
        ("pydantic-ai", forgets_the_conversation, "another-question-after-the-answer", R, ["history/append-only"]),
        (
            "pydantic-ai",
            forgets_the_conversation,
            "switched-from-anthropic-messages-to-openai-chat",
            A,
            ["caller/switched-history"],
        ),
        ("pydantic-ai", forgets_what_was_approved, "unapproved-calls-approved", A, ["expect/outcome"]),
        ("pydantic-ai", is_deaf_to_the_user, "said-while-a-tool-runs", C, ["caller/message-sent"]),
        ("pydantic-ai", keeps_the_first_piece, "answer", A, ["stream/text"]),
        ("pydantic-ai:bedrock", forgets_the_conversation, "resumed-from-what-was-stored", B, ["history/append-only"]),
        ("pydantic-ai:bedrock", starts_nothing, "tool-returns", B, ["order/tool-started"]),
        ("strands", approves_what_was_denied, "denied-in-a-later-run", B, ["caller/approved"]),
        ("strands", asks_nobody, "approved-in-a-later-run", B, ["execution/unapproved"]),
        ("strands", forgets_the_conversation, "resumed-from-what-was-stored", B, ["history/append-only"]),
        ("strands", returns_nothing, "tool-returns", B, ["order/tool-result-reported"]),
        ("strands", starts_nothing, "tool-returns", B, ["order/tool-started"]),
    ],
)
async def test_a_mutilated_driver_is_found(
    target: str, mutilation: Mutilation, scenario: str, wire: WireName, rules: Sequence[str]
) -> None:
    skip_without(target)
    address = SHIPPED[target].driver
    assert isinstance(address, str)
    drive = load_function(address)

    async def mutilated(case_run: CaseRun) -> object:
        return await drive(mutilation(case_run))

    function = mutilated if inspect.iscoroutinefunction(drive) else lambda case_run: drive(mutilation(case_run))
    found_so = FunctionTarget("mutilated", address, SHIPPED[target].declaration, function=function)
    finished = await driven(scenario, found_so, wire)
    assert finished.result.verdict == "fail"
    assert set(rules) <= found(finished)
