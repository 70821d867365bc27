"""What a program prints before a request stands before that request in the trace."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.targets.command import process
from harness.trace import EventRecord, RequestRecord, Thinking
from tests.targets.command.running import program, run, scenarios


@pytest.mark.anyio
async def test_an_event_of_more_than_a_pipe_holds_stands_before_the_request_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Small pieces: the endpoint hears of the request while most of the event is still to be read."""
    monkeypatch.setattr(process, "_PIECE", 512)
    for _ in range(4):
        ran = await run(program("say_much_first", {}), scenarios(tmp_path))
        event, request, *_ = ran["case-1"].trace.records
        assert isinstance(event, EventRecord)
        assert isinstance(event.event, Thinking)
        assert isinstance(request, RequestRecord)
        assert ran["case-1"].result.error is None
