"""``harness watch``: one case in the browser, as a product would show it."""

from __future__ import annotations

import argparse
from typing import Final

from harness.cli import common_options as common
from harness.cli.added import WIRES
from harness.cli.command import Command
from harness.cli.parser import Parser

MESSAGE_FORMS: Final = ("harness", "screenshot-to-code")
"""``harness.watch.FORMS``, whose import takes long."""


def options(command: Parser) -> None:
    """Which case, and where it is shown."""
    command.set_defaults(work=work)
    command.add_argument("scenario", metavar="SCENARIO", help="a scenario's name, or its file")
    command.add_argument("--wire", choices=WIRES, metavar="WIRE", help="API format (wire): %(choices)s")
    common.dialect(command)
    common.target(command)
    common.isolate(command)
    common.port(command)
    command.add_argument(
        "--pace", type=common.at_least_0, default=30, metavar="MS", help="milliseconds between messages (default 30)"
    )
    command.add_argument(
        "--messages",
        choices=MESSAGE_FORMS,
        default=MESSAGE_FORMS[0],
        metavar="FORM",
        help="whose messages the socket speaks: %(choices)s (default harness)",
    )


COMMAND: Final = Command(
    "Check a loop",
    "show a scenario in the browser while it runs",
    options,
    "harness watch parallel-calls --target my_package.agent:run",
)


def work(options: argparse.Namespace) -> int:
    """Serve the live view until Ctrl-C. Returns the exit code.

    Raises ``BadInput`` for unknown names, and if the loop must be sealed and cannot be.
    """
    import asyncio

    from harness.cli.sealed import note_open
    from harness.runner.sources import SCRIPTED

    note_open(options.target, SCRIPTED, options.sealing)
    try:
        asyncio.run(_watch(options))
    except KeyboardInterrupt:
        print("")
    return 0


async def _watch(options: argparse.Namespace) -> None:
    import asyncio

    from harness.report.entries import severity
    from harness.report.visible import visible
    from harness.runner.redacting import gated
    from harness.watch import FORMS, Performance, chosen_case, watching

    item = await chosen_case(options.scenario, wire=options.wire, target=options.target, dialect=options.dialect)
    performance = Performance(item, options.target, severity, FORMS[options.messages], options.sealing)
    async with watching(performance, port=options.port, pace=options.pace / 1000) as url:
        print(f"{item.case.id} on {visible(gated(item.case.target))}")
        # The page at the address reads the harness's own messages only.
        print(f"  {url if options.messages == 'harness' else url.replace('http:', 'ws:') + 'events'}")
        print("each visit runs it afresh; Ctrl-C ends it", flush=True)
        await asyncio.Event().wait()
