"""``harness watch``: one case in the browser, as a product would show it."""

from __future__ import annotations

import asyncio

from harness.report.entries import severity
from harness.watch import Performance, chosen_case, watching
from harness.wire import WireName

__all__ = ["watch"]


def watch(scenario: str, *, wire: WireName | None, target: str, port: int, pace: int) -> int:
    """Serve the live look until Ctrl-C; ``pace`` in milliseconds. Raises ``BadInput`` for what is unknown."""
    try:
        asyncio.run(_watch(scenario, wire, target, port, pace))
    except KeyboardInterrupt:
        print("")
    return 0


async def _watch(scenario: str, wire: WireName | None, target: str, port: int, pace: int) -> None:
    item = await chosen_case(scenario, wire=wire, target=target)
    async with watching(Performance(item, target, severity), port=port, pace=pace / 1000) as url:
        print(f"{item.case.id} on {item.case.target}")
        print(f"  {url}")
        print("each visit runs it afresh; Ctrl-C ends it", flush=True)
        await asyncio.Event().wait()
