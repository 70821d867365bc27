"""The words that events may use: kinds of failures, and outcomes of runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from harness.trace.model import RAISED

FAILURES: Final[Mapping[str, str]] = {
    "http": "the endpoint answered with an HTTP status of 400 or more",
    "stream": "the connection, or the stream, broke, or ended with an error in it",
    "turn-limit": "the loop has made as many turns as it may",
    "tool-retries": "a tool has failed more often than the loop accepts",
    RAISED: "any other failure; also what is known by its text alone: it matches every expected kind",
}
"""The kinds of ``error`` events that a driver may emit. (``crash``, of the harness's own loop, is none of them.)"""

OUTCOMES: Final[Mapping[str, str]] = {
    "completed": "the model came to its end",
    "truncated": "the model reached its token limit",
    "refused": "the model, or the provider, refused to answer",
    "turn-limit": "the loop has made as many turns as it may",
    "deferred": "calls wait for an approval, or for a result from elsewhere",
}
"""The outcomes of ``final`` events."""
