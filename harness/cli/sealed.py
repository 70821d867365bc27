"""What commands say of loops that are not sealed off."""

from __future__ import annotations

import sys

from harness.report.terminal import visible
from harness.runner.opening import examined
from harness.runner.sealed import files_note, open_note, why_open
from harness.runner.sources import Sources
from harness.sealing.allowed import Sealing


def note_open(target: str, sources: Sources, sealing: Sealing) -> None:
    """Say in a line on standard error that the loops of ``target`` are not sealed off, or their files are not, where
    nobody has asked for that.

    Raises ``BadInput`` where they must be sealed, and cannot.
    """
    opened = examined(target)
    why = why_open(opened, sources, sealing)
    note = open_note(why) if why else files_note(opened)
    if note and sealing != "off":
        print(visible(note), file=sys.stderr, flush=True)
