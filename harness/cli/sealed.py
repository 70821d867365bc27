"""What commands say of loops that are not sealed off."""

from __future__ import annotations

import sys

from harness.report.terminal import visible
from harness.runner.opening import examined
from harness.runner.sealed import open_note, why_open
from harness.runner.sources import Sources
from harness.sealing.allowed import Sealing

__all__ = ["note_open"]


def note_open(target: str, sources: Sources, sealing: Sealing) -> None:
    """Say in a line on standard error that the loops of ``target`` are not sealed off, where nobody has asked for that.

    Raises ``BadInput`` where they must be sealed, and cannot.
    """
    why = why_open(examined(target), sources, sealing)
    if why and sealing != "off":
        print(visible(open_note(why)), file=sys.stderr, flush=True)
