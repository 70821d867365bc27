"""The version of a program, as the program itself prints it."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from harness.errors import HarnessError
from harness.targets.command.process import Process
from harness.targets.command.running import Start

_SECONDS: Final = 60
_VERSION: Final = re.compile(r"\b(\d+\.\d+(?:\.\d+)?(?:[-.+][\w.-]+)?)")


async def version_of(
    command: Sequence[str], directory: Path | None, environment: Mapping[str, str], start: Start
) -> str | None:
    """The first word of its output that looks like a version; None if there is none.

    ``start`` starts it like the loop: behind a seal if there is one. Whatever it has started ends with it.
    """
    printed = bytearray()
    try:
        process = Process(command, environment, directory, printed.extend, lambda _: None, start)
        try:
            process.finish_input()
            async with asyncio.timeout(_SECONDS):
                await process.over()
        finally:
            await process.end()
    except (HarnessError, TimeoutError):
        return None
    found = _VERSION.search(printed.decode("utf-8", "replace"))
    return found and found[1]
