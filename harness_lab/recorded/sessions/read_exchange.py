"""A recorded exchange with what was read of it, or the reason why it was not read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from harness.cassette.recordings.recording import RecordedExchange
from harness.imports.comparison import Reason, RecordedComparison
from harness.wire import NativeWireName
from harness_lab.recorded.reading.other_apis import OTHER_APIS, OtherApi

Unsupported = Literal[
    OtherApi, "side endpoint", "no body", "numeric enums", "streamed arguments", "no oracle", "no session"
]

UNSUPPORTED: Mapping[Unsupported, str] = {
    "side endpoint": "no model request of a wire: files, vector stores, tool servers, telemetry, downloads",
    "Bedrock, another maker": OTHER_APIS["Bedrock, another maker"],
    "Ollama's own": OTHER_APIS["Ollama's own"],
    "Realtime": OTHER_APIS["Realtime"],
    "compaction": OTHER_APIS["compaction"],
    "no body": "a success of which no body was recorded",
    "numeric enums": "Gemini asked for enum numbers, or a dump with them; the SDK asks for names and reads only those",
    "streamed arguments": "Gemini arguments in pieces (partialArgs, Vertex only), which the session never asks for",
    "no oracle": "the Anthropic SDK's own accumulation of the stream fails, so its content is unknown",
    "no session": "a wire whose session needs an extra that is not installed: only its requests are judged",
}
"""Every reason for which a recorded exchange is not judged."""


@dataclass(frozen=True, slots=True)
class ReadExchange:
    """``wire`` is None for an exchange that is no model request.

    ``features`` are the features of what was read, ``restored`` what was restored in the body before (``as_sent``),
    ``cut`` how many of its streams had the same result when they were cut apart.
    """

    exchange: RecordedExchange
    wire: NativeWireName | None
    features: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()
    cut: int = 0


def unsupported(
    exchange: RecordedExchange, wire: NativeWireName | None, name: Unsupported
) -> RecordedComparison[ReadExchange]:
    """An exchange that is not compared, for the reason with this name."""
    return RecordedComparison(ReadExchange(exchange, wire), obstacle=Reason(UNSUPPORTED[name], name=name))
