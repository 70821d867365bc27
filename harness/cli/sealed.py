"""Reports loops that are not sealed off."""

from __future__ import annotations

import sys

from harness.report.terminal import visible
from harness.runner.opening import examined
from harness.runner.sealed import files_note, open_note, why_open
from harness.runner.sources import Sources
from harness.sealing.allowed import Sealing


def note_open(target: str, sources: Sources, sealing: Sealing) -> None:
    """Print a line on standard error if the loops of ``target``, or their files, are not sealed off although nobody has
    asked for that.

    Raises ``BadInput`` if they must be sealed, and cannot be.
    """
    opened = examined(target)
    why = why_open(opened, sources, sealing)
    note = open_note(why) if why else files_note(opened)
    if note and sealing != "off":
        print(visible(note), file=sys.stderr, flush=True)
