"""The loop whose parser ends a call inside a string: what it reads, and which rules see that."""

from __future__ import annotations

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.loop import EditableSession
from harness.runner.execute import execute
from harness.runner.plan import plan
from harness.runner.results import CaseResult
from harness.targets.clients import Clients
from harness.targets.reference import ReferenceTarget, Seams
from harness.wire import WireName
from harness_lab.mutants.text_tags import CutsStrings, cuts_strings
from tests.scenarios import shipped_scenarios

WHOLE = '<tool_call>{"name":"a","args":{"x":"y"}}</tool_call>'
HOLDS_A_TAG = '<tool_call>{"name":"a","args":{"x":"y</tool_call>z"}}</tool_call>'


def read(text: str) -> tuple[list[tuple[str, str, str]], str]:
    """The calls (name, arguments, problem) and the text that is left."""
    parser = CutsStrings()
    said = [*parser.feed(text), *parser.end()]
    calls = [(call.name, call.arguments, call.problem) for call in parser.calls]
    return calls, "".join(piece for what, piece in said if what == "text")


def test_only_a_string_with_an_end_tag_is_cut() -> None:
    assert read(f"Hi {WHOLE}<tool_call>{{") == (
        [("a", '{"x":"y"}', ""), ("unknown_tool", "<tool_call>{", "it never ends")],
        "Hi",
    )
    assert read(HOLDS_A_TAG) == ([("a", '{"x":"y', "it ends too early")], 'z"}}')


async def run(seams: Seams, wire: WireName, scenario: str) -> list[CaseResult]:
    endpoints = Endpoints()
    target = ReferenceTarget(Clients(EndpointTransport(endpoints)), seams=seams)
    (found,) = [each for each in shipped_scenarios() if each.name == scenario]
    try:
        cases = plan([found], target=target, wires=[wire], expression="event")
        return [each.result for each in await execute(cases, target, endpoints, "http://harness")]
    finally:
        await target.close()


@pytest.mark.anyio
async def test_the_rules_see_that_a_string_was_cut() -> None:
    (broken,) = await run(Seams(session=cuts_strings), "text-tags", "tag-in-a-string")
    assert broken.verdict == "fail", broken.error
    rules = {each.rule for each in broken.findings}
    assert "stream/text" in rules, "what stands behind the tag is told as the model's answer"
    assert rules >= {"expect/events", "expect/sent", "expect/final"}


@pytest.mark.anyio
async def test_the_loop_that_it_is_made_of_is_whole() -> None:
    (whole,) = await run(Seams(), "text-tags", "tag-in-a-string")
    assert whole.verdict == "pass", whole.findings


@pytest.mark.anyio
async def test_other_protocols_are_left_alone() -> None:
    seen: list[EditableSession] = []

    def noted(session: EditableSession) -> EditableSession:
        seen.append(session)
        assert cuts_strings(session) is session
        return session

    (result,) = await run(Seams(session=noted), "openai-chat", "tool-returns")
    assert result.verdict == "pass", result.findings
    assert seen
