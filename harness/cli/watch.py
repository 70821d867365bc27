"""``harness watch``: one case in the browser, as a product would show it."""

from __future__ import annotations

import asyncio

from harness.cli.sealed import note_open
from harness.report.entries import severity
from harness.report.visible import visible
from harness.runner.redacting import gated
from harness.runner.sources import SCRIPTED
from harness.sealing.allowed import Sealing
from harness.watch import FORMS, Performance, chosen_case, watching
from harness.wire import WireName


def watch(
    scenario: str,
    *,
    wire: WireName | None,
    dialect: str = "",
    target: str,
    sealing: Sealing,
    port: int,
    pace: int,
    messages: str,
) -> int:
    """Serve the live view until Ctrl-C; ``pace`` in milliseconds, ``messages`` the name of their form.

    ``dialect`` is that of the streams, empty for the provider's way. ``sealing`` says whether the loop is sealed off.
    Raises ``BadInput`` for what is unknown, and where the loop must be sealed, and cannot.
    """
    note_open(target, SCRIPTED, sealing)
    try:
        asyncio.run(_watch(scenario, wire, dialect, target, sealing, port, pace, messages))
    except KeyboardInterrupt:
        print("")
    return 0


async def _watch(
    scenario: str,
    wire: WireName | None,
    dialect: str,
    target: str,
    sealing: Sealing,
    port: int,
    pace: int,
    messages: str,
) -> None:
    item = await chosen_case(scenario, wire=wire, target=target, dialect=dialect)
    performance = Performance(item, target, severity, FORMS[messages], sealing)
    async with watching(performance, port=port, pace=pace / 1000) as url:
        print(f"{item.case.id} on {visible(gated(item.case.target))}")
        # The page at the address reads the harness's own messages only.
        print(f"  {url if messages == 'harness' else url.replace('http:', 'ws:') + 'events'}")
        print("each visit runs it afresh; Ctrl-C ends it", flush=True)
        await asyncio.Event().wait()
