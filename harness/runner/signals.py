"""The signals that end a command of the harness in good order."""

from __future__ import annotations

import signal
from typing import Final

__all__ = ["ENDING"]

ENDING: Final = (signal.SIGINT, signal.SIGTERM, *((signal.SIGHUP,) if hasattr(signal, "SIGHUP") else ()))
"""Ctrl-C, the request to end, and, where there is one, the end of the terminal."""
