"""The signals that end programs: those of the harness in good order, and those that a terminal sends to all."""

from __future__ import annotations

import signal
from typing import Final

ENDING: Final = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))
"""Ctrl-C, the request to end, and, where there is one, the end of the terminal."""

FROM_A_TERMINAL: Final = (*ENDING, *((signal.SIGQUIT,) if hasattr(signal, "SIGQUIT") else ()))
"""What a terminal, or somebody who ends a whole group, sends to all that is in it."""
