"""Recorded streams that are cut short. (``tests/recorded/corpus`` reads the whole ones.)"""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.cassette.recordings.as_sent import as_sent
from harness.loop.session import StreamFailed
from tests.recorded.corpus.shared_exchanges import answers
from tests.sdks import sessions
from tests.wire.anthropic_messages.replay import stream_events


@pytest.mark.anyio
async def test_without_its_last_event_a_recording_is_no_turn(shared: Path) -> None:
    recordings = [exchange for exchange in answers(shared, "anthropic-messages") if exchange.streamed]
    streams = [each.body for exchange in recordings for each in as_sent(exchange, "anthropic-messages")[0]]
    assert len(streams) > 130
    for body in streams[::10]:
        reader = sessions.anthropic_messages.MessagesReader(set())
        for event in await stream_events([body[: body.rindex(b"event: message_stop")]]):
            reader.feed(event.to_dict(warnings=False))
        with pytest.raises(StreamFailed):
            reader.finish()
