"""The Responses session on the examples; the reading of ``tests/recorded/corpus`` compared with the SDK's helper."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness_lab.recorded.sessions import openai_responses
from harness_lab.recorded.sessions.recorded_turn import RecordedTurn
from tests.recorded.corpus.shared_exchanges import first_streams
from tests.sdks import openai
from tests.wire.openai_responses.speak import Answering, client

pytestmark = pytest.mark.anyio


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
