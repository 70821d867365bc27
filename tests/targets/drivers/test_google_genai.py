"""The real automatic function calling of Google's SDK on the harness, on both of its clients."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.rules import TraceView, judge, select
from harness.trace import Assistant, Failure, Final, Thinking, ToolResult, ToolStart
from harness.wire import WireName
from tests.targets.drivers.driving import found, ran, request, told

pytestmark = [
    pytest.mark.anyio,
    # Google's SDK inherits from a class of aiohttp's, which it uses where it is installed.
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),
]

CLIENTS = ("google-genai", "google-genai:sync")
WIRE: WireName = "gemini-generate"
KNOWN = {"offered/description"}
"""What is found of every function with parameters: the SDK declares them without descriptions."""


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_chat_goes_on_without_a_turn_that_is_not_valid(client: str) -> None:
    """A chat has it in its history, from which none can be created: the last content of a refused turn has no role."""
    finished = await ran(client, "another-question-after-a-refusal", WIRE)
    assert [event.outcome for event in told(finished, Final)] == ["refused", "completed"]
    assert [part["text"] for each in request(finished, 1)["contents"] for part in each["parts"]] == [
        "What is the weather in Oslo?"
    ]
    assert found(finished) == {"history/append-only"}


async def test_pieces_have_the_id_of_their_response() -> None:
    finished = await ran("google-genai", "thinking-in-every-turn", WIRE)
    thoughts = {event.id for event in told(finished, Thinking)}
    (text,) = {event.id for event in told(finished, Assistant)}
    assert len(thoughts) == 3
    assert text.removesuffix("-text") in {each.removesuffix("-thought") for each in thoughts}


async def test_the_harness_tells_of_the_tools_in_the_place_of_the_sdk() -> None:
    finished = await ran("google-genai", "parallel-calls-one-raises", WIRE)
    assert "toolStart" not in (finished.trace.case.emits or ())
    assert [event.name for event in told(finished, ToolStart)] == ["lamp", "heating", "lamp"]
    assert [event.ok for event in told(finished, ToolResult)] == [True, False, True]
    issued = request(finished, 1)["contents"]
    calls = [part["functionCall"]["id"] for each in issued for part in each["parts"] if "functionCall" in part]
    assert [event.id for event in told(finished, ToolStart)] == calls


async def test_the_model_is_told_the_signature_of_the_function() -> None:
    finished = await ran("google-genai", "truncated-after-a-whole-call", WIRE)
    (tool,) = request(finished, 0)["tools"]
    assert tool["functionDeclarations"] == [
        {
            "name": "transfer",
            "description": "Transfer money.",
            "parameters_json_schema": {
                "type": "object",
                "properties": {"euros": {"type": "number"}},
                "required": ["euros"],
            },
        }
    ]


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_call_that_is_left_at_the_limit_is_told_as_that(client: str) -> None:
    finished = await ran(client, "turn-limit", WIRE)
    (end,) = told(finished, Final, Failure)
    assert end.outcome == "turn-limit"
    assert (finished.result.verdict, found(finished)) == ("pass", set())


@pytest.mark.sampled(3)
@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("stream", ["true", "false"])
@pytest.mark.parametrize(("calls", "outcome"), [(9, "completed"), (10, "turn-limit")])
async def test_the_sdk_has_a_limit_of_its_own(
    calls: int, outcome: str, stream: str, client: str, tmp_path: Path
) -> None:
    """An answer to the last request that it may make is an answer; a call is left to its user."""
    scenario = tmp_path / "many-calls.yaml"
    turns = ["  - {text: Looking., calls: [{look: {}}]}"] * calls + ["  - text: Quiet."]
    scenario.write_text("\n".join([MANY_CALLS.format(stream=stream), *turns]))
    finished = await ran(client, scenario, WIRE)
    (end,) = told(finished, Final, Failure)
    assert (len(finished.trace.exchanges), end.outcome) == (10, outcome)
    assert end.text == ("Quiet." if calls == 9 else "Looking.")


MANY_CALLS = """
scenario: many-calls
profile: universal
summary: A tool is called turn after turn.
prompt: Look until it is quiet.
stream: {stream}
tools:
  - {{name: look, description: Look., parameters: {{type: object, properties: {{}}}}, returns: busy}}
expect: {{outcome: completed}}
model:"""


@pytest.mark.parametrize("client", CLIENTS)
async def test_what_was_said_beside_calls_is_in_the_history_of_a_whole_response(client: str) -> None:
    finished = await ran(client, "tool-returns-not-streamed", WIRE)
    assert [event.text for event in told(finished, Thinking)] == ["I need the weather."]
    assert [event.text for event in told(finished, Assistant)] == ["Let me look.", "Clear and 19 degrees."]
    assert "expect/events" not in found(finished)


# --- what it is known to do -----------------------------------------------------------------------------------------


async def test_a_call_without_args_is_left_unanswered_on_the_client_that_blocks_only() -> None:
    blocking = await ran("google-genai:sync", "tool-with-empty-argument-text", WIRE)
    assert "final/unfinished" in found(blocking)
    assert told(blocking, Final)[0].outcome == "completed"  # the SDK might have asked again
    asynchronous = await ran("google-genai", "tool-with-empty-argument-text", WIRE)
    assert (asynchronous.result.verdict, found(asynchronous)) == ("pass", set())


@pytest.mark.parametrize("client", CLIENTS)
async def test_responses_without_the_ids_of_their_calls_are_told_to_who_asks(client: str) -> None:
    """No refusal is known, so the rule is INFO: calls of one function are told apart by their order alone."""
    finished = await ran(client, "parallel-calls", WIRE)
    findings = [each for each in judge(TraceView(finished.trace), select(info=True)) if each.reference == "GEM-13"]
    assert len(findings) == 4
    assert {each.level for each in findings} == {"INFO"}
    assert {each.got for each in findings} == {"no id"}


@pytest.mark.parametrize("client", CLIENTS)
async def test_a_content_for_every_chunk_is_no_finding(client: str) -> None:
    """Neighbouring contents of the model are one turn (GEM-21), so its responses follow directly."""
    finished = await ran(client, "parallel-calls", WIRE)
    roles = [content["role"] for content in request(finished, 1)["contents"]]
    assert roles[:1] == roles[-1:] == ["user"]
    assert len(roles) > 10
    assert set(roles[1:-1]) == {"model"}
    assert found(finished) == KNOWN
