"""What became of one recorded exchange. Each has exactly one outcome, and nothing is unsupported without a reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.wire import NativeWireName
from harness_lab.corpus.exchanges import Recorded

__all__ = ["REASONS", "Outcome", "Reason", "Verdict"]

Verdict = Literal["agreed", "disagreed", "unsupported"]
Reason = Literal["side endpoint", "no body", "numeric enums", "streamed arguments", "no oracle"]

REASONS: dict[str, str] = {
    "side endpoint": "no model request of the four wires: files, vector stores, tool servers, telemetry, downloads",
    "no body": "a success of which no body was recorded",
    "numeric enums": "Gemini asked for enum numbers, or a dump with them; the SDK asks for names and reads only those",
    "streamed arguments": "Gemini arguments in pieces (partialArgs, Vertex only), which the session never asks for",
    "no oracle": "the Anthropic SDK's own accumulation of the stream fails, so its content is unknown",
}
"""Every reason for which a recorded exchange is not judged."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """``wire`` is None for an exchange that is no model request.

    ``detail`` is the first difference of one that disagreed, and the reason of an unsupported one. ``features`` are
    those of what was read, ``restored`` what was put back into the body before (``as_sent``), ``cut`` how many of its
    streams said the same again when they were cut apart.
    """

    exchange: Recorded
    wire: NativeWireName | None
    verdict: Verdict
    detail: str = ""
    features: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    cut: int = 0
