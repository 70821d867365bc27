"""One model turn in provider-neutral words: what a script says and what a reply is read back into.

The same values describe the model's output on all wires. ``signature`` is the wire's opaque proof that
the model itself wrote a part (Anthropic ``signature`` and ``data``, Responses ``encrypted_content``, Gemini
``thoughtSignature``). A script leaves it empty and the renderer fills it in.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

__all__ = [
    "Call",
    "Deltas",
    "Ending",
    "ErrorKind",
    "FinishReason",
    "Part",
    "Refusal",
    "StreamError",
    "Text",
    "ThinkingPart",
    "Turn",
    "Usage",
]


class FinishReason(StrEnum):
    """Why the model stopped. ``PAUSE`` is Anthropic's ``pause_turn``; other wires cannot say it."""

    END = "end"
    TOOL_CALLS = "tool_calls"
    MAX_TOKENS = "max_tokens"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    PAUSE = "pause"


@dataclass(frozen=True, slots=True)
class Text:
    """Text for the user.

    ``phase`` is what newer models say of it on Responses: ``commentary`` on the way, or the ``final_answer``.
    """

    text: str
    signature: str = ""
    phase: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """Reasoning. ``redacted``: only an opaque blob is sent. ``omitted``: a signature without the text.

    A wire that lacks a form sends the nearest one it has: Responses sends ``redacted`` and ``omitted`` as a
    reasoning item without summary, Gemini sends no thought part for them, Chat sends nothing.
    """

    text: str = ""
    form: Literal["plain", "redacted", "omitted"] = "plain"
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. ``arguments`` is the JSON text exactly as the model wrote it, valid or not.

    ``id``: None lets the renderer issue one; ``""`` sends the call without an id, as some servers do; any other
    text is sent as it is (duplicate ids, foreign ids).
    """

    name: str
    arguments: str
    id: str | None = None
    signature: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """The model declines, in its own words. Wires without a refusal part send it as text and stop accordingly."""

    text: str


Part = Text | ThinkingPart | Call | Refusal


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as the provider would bill them. ``output`` includes ``reasoning``."""

    input: int = 64
    output: int = 32
    reasoning: int = 0
    cached: int = 0


ErrorKind = Literal["overloaded", "server_error", "rate_limit", "context_length"]


@dataclass(frozen=True, slots=True)
class StreamError:
    """An error that arrives inside a stream that began with status 200. An empty message means the wire's own."""

    kind: ErrorKind = "overloaded"
    message: str = ""


Ending = Literal["complete", "eof"]
"""``complete`` sends the terminal event; ``eof`` closes the stream cleanly without it. A document is always whole."""

Deltas = Literal["whole", "token", "character", "utf16"]
"""How text and arguments are split into deltas.

``whole``: one delta. ``token``: pieces of the size that models send. ``character``: one code point each.
``utf16``: one UTF-16 unit each, as servers written in JavaScript do, so that the halves of a surrogate pair
arrive in separate deltas.
"""


@dataclass(frozen=True, slots=True)
class Turn:
    """One model response: its parts in order and how it ends.

    With ``error`` set the stream delivers the parts and then the error instead of its terminal event.
    """

    parts: tuple[Part, ...] = ()
    stop: FinishReason = FinishReason.END
    usage: Usage = Usage()
    error: StreamError | None = None
    ending: Ending = "complete"
    deltas: Deltas = "token"

    @property
    def text(self) -> str:
        """All text for the user, joined."""
        return "".join([part.text for part in self.parts if isinstance(part, Text)])

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls in order."""
        return tuple([part for part in self.parts if isinstance(part, Call)])
