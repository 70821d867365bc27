"""One model turn in provider-neutral words. Scripts are written in it, and replies are read into it.

The same values describe the model's output on all wires. ``signature`` is the wire's opaque proof that
the model itself wrote a part (Anthropic ``signature`` and ``data``, Responses ``encrypted_content``, Gemini
``thoughtSignature``). A script leaves it empty and the renderer fills it in.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Literal


class FinishReason(StrEnum):
    """Why the model stopped. ``PAUSE``: the next request continues the answer (Anthropic's ``pause_turn``, and a long
    interaction that requires a continuation); other wires cannot express it."""

    END = "end"
    TOOL_CALLS = "tool_calls"
    MAX_TOKENS = "max_tokens"
    REFUSAL = "refusal"
    CONTENT_FILTER = "content_filter"
    PAUSE = "pause"


NO_MEMBERS: Final[Mapping[str, Any]] = {}


@dataclass(frozen=True, slots=True)
class Text:
    """Text for the user.

    ``phase`` is how newer models mark it on Responses: ``commentary`` on the way, or the ``final_answer``. ``members``:
    what a script adds to the native piece (citations, annotations); a reply that was read has none.
    """

    text: str
    signature: str = ""
    phase: str = field(default="", compare=False)
    members: Mapping[str, Any] = field(default_factory=lambda: NO_MEMBERS, compare=False)


@dataclass(frozen=True, slots=True)
class ThinkingPart:
    """Reasoning. ``redacted``: only an opaque blob is sent. ``omitted``: a signature without the text.

    ``signed``: False if the provider sends no proof with it, because it keeps the reasoning itself or has no proofs.
    Scripts never set it to False.

    A wire that lacks a form sends the nearest one it has: Responses sends ``redacted`` and ``omitted`` as a
    reasoning item without summary, Gemini sends no thought part for them, Chat sends nothing.
    """

    text: str = ""
    form: Literal["plain", "redacted", "omitted"] = "plain"
    signature: str = ""
    signed: bool = field(default=True, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call. ``arguments`` is the JSON text exactly as the model wrote it, valid or not.

    ``id``: None lets the renderer issue one; ``""`` sends the call without an id, as some servers do; any other
    text is sent as it is (duplicate ids, foreign ids). ``members``: what a script adds to the native call (its caller,
    its namespace); a reply that was read has none.
    """

    name: str
    arguments: str
    id: str | None = None
    signature: str = ""
    members: Mapping[str, Any] = field(default_factory=lambda: NO_MEMBERS, compare=False)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The model declines, in its own words. Wires without a refusal part send it as text and stop accordingly."""

    text: str


@dataclass(frozen=True, slots=True)
class NativePiece:
    """A piece that only one wire has, in the provider's form: a server tool's use, its result, a compaction.

    Only scripts have it. A reply that was read has such a piece among its items but no part for it. ``at`` is the
    number of the turn's parts before it.
    """

    at: int
    native: Mapping[str, Any] = field(compare=False)


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
    """An error inside a stream that began with status 200. An empty message means the wire's own message."""

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

    With ``error`` set the stream delivers the parts and then the error instead of its terminal event. Only scripts have
    ``natives``, the pieces between the parts that only one wire has, and ``members``, what the response has beside its
    parts (a container, grounding metadata).
    """

    parts: tuple[Part, ...] = ()
    stop: FinishReason = FinishReason.END
    usage: Usage = Usage()
    error: StreamError | None = None
    ending: Ending = "complete"
    deltas: Deltas = "token"
    natives: tuple[NativePiece, ...] = ()
    members: Mapping[str, Any] = field(default_factory=lambda: NO_MEMBERS, compare=False)

    @property
    def pieces(self) -> tuple[Part | NativePiece, ...]:
        """The parts and the native pieces, in the order sent."""
        if not self.natives:
            return self.parts
        pieces: list[Part | NativePiece] = []
        for at in range(len(self.parts) + 1):
            pieces += [piece for piece in self.natives if piece.at == at]
            pieces += self.parts[at : at + 1]
        return tuple(pieces)

    @property
    def text(self) -> str:
        """All text for the user, joined."""
        return "".join([part.text for part in self.parts if isinstance(part, Text)])

    @property
    def calls(self) -> tuple[Call, ...]:
        """The tool calls in order."""
        return tuple([part for part in self.parts if isinstance(part, Call)])
