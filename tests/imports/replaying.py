"""Files of recordings replayed, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from harness.cassette.recordings.foreign import read_foreign
from harness.cassette.recordings.recording import RecordedExchange
from harness.cassette.replay_transport import ReplayTransport
from harness.imports import Outside, RecordedLoop, Replayer, find_loops
from harness.imports.comparison import RecordedComparison
from harness.loop import EditableSession
from harness.loop.session import SessionConfig
from harness.targets.clients import Clients
from harness.wire import WireName


async def replayed(
    folder: Path, breaking: type | None = None
) -> tuple[list[RecordedComparison[RecordedLoop]], Outside]:
    """What becomes of the loops in a folder; with ``breaking`` through adapters that are broken by it."""
    return await replayed_exchanges(read_foreign(folder).exchanges, breaking)


async def replayed_exchanges(
    exchanges: Sequence[RecordedExchange], breaking: type | None = None, *, every: int = 1
) -> tuple[list[RecordedComparison[RecordedLoop]], Outside]:
    """What becomes of the loops in these exchanges, or of every so many of them."""
    memory = ReplayTransport()
    replayer = Replayer(memory, Breaking(memory, breaking) if breaking else None)
    loops, outside = find_loops(exchanges)
    try:
        return [await replayer.replay(loop) for loop in loops[::every]], outside
    finally:
        await replayer.close()


class Breaking:
    """Opens the sessions of the reference loop, each inside a broken one."""

    def __init__(self, memory: ReplayTransport, broken: type) -> None:
        self._clients = Clients(memory)
        self._broken = broken

    def open_session(self, wire: WireName, config: SessionConfig, skills: object = None) -> EditableSession:
        session: EditableSession = self._broken(self._clients.open_session(wire, config))
        return session

    async def close(self) -> None:
        await self._clients.close()
