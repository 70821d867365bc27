"""The Responses session on the examples; the reading of ``tests/recorded/corpus`` compared with the SDK's helper."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from harness.loop.session import StreamFailed
from harness.wire import FinishReason
from harness_lab.recorded.sessions import openai_responses
from harness_lab.recorded.sessions.recorded_turn import BrokenResponse, RecordedTurn
from tests.loop.sessions.openai_responses_endpoint import one_turn
from tests.recorded.corpus.shared_exchanges import first_streams
from tests.sdks import openai
from tests.wire.openai_responses.speak import Answering, client, cut

pytestmark = pytest.mark.anyio


async def test_the_examples_are_read(shared: Path) -> None:
    outcomes = Counter[str]()
    for path in sorted((shared / "wire" / "examples").glob("oai-responses-*.sse")):
        body = path.read_bytes()
        said = openai_responses.recorded_turn(body, streamed=True)
        try:
            turn, told = await one_turn(Answering(cut(body, 61)))
        except StreamFailed:
            assert isinstance(said, BrokenResponse), path.name
            outcomes["failed"] += 1
            continue
        assert isinstance(said, RecordedTurn), path.name
        if turn.stop is not FinishReason.CONTENT_FILTER:
            assert (turn.assistant_text, turn.thinking_text, turn.refusal) == (said.text, said.thinking, said.refusal)
            assert [(call.name, call.arguments) for call in turn.tool_calls] == [
                (call.name, call.arguments) for call in said.calls
            ]
            assert openai_responses.returned(turn.assistant_turn) == said.returned
        assert (told.text, told.thinking) == (turn.assistant_text, turn.thinking_text)
        outcomes["read"] += 1
    assert outcomes == {"read": 10, "failed": 4}


@pytest.mark.exhaustive
@pytest.mark.filterwarnings("ignore:Pydantic serializer warnings")
async def test_the_reading_of_recorded_streams_agrees_with_the_helper_of_the_sdk(shared: Path) -> None:
    """The SDK's own accumulator is stricter than its raw stream; where it gives a response, it says the same."""
    agreed, refused = 0, []
    for exchange in first_streams(shared, "openai-responses"):
        body = exchange.response or b""
        if len(body) > 60_000:
            continue  # more of the same: a long text, letter by letter
        try:
            async with client(Answering([body])) as sdk, sdk.responses.stream(model="m", input="x") as stream:
                final = await stream.get_final_response()
        except (openai.APIError, RuntimeError, IndexError) as error:
            refused.append(f"{exchange.name}: {error}")
            continue
        said = openai_responses.recorded_turn(body, streamed=True)
        if final.output:  # one backend lists no output at the end, and then the helper has none
            assert isinstance(said, RecordedTurn), exchange.name
            assert said.text == final.output_text
            calls = [item for item in final.output if item.type in ("function_call", "custom_tool_call")]
            assert [call.id for call in said.calls] == [call.call_id for call in calls]
            agreed += 1
    assert agreed >= 80, agreed
    assert len(refused) < 20, refused
