"""The event loop of the sessions that read fuzzed streams."""

from __future__ import annotations

import asyncio

from harness.fuzz.stream import sessions


def test_sessions_are_collected_while_another_loop_runs() -> None:
    loop = asyncio.new_event_loop()

    async def collected() -> None:
        sessions._close(loop)

    asyncio.run(collected())
    assert loop.is_closed()
