"""Answers as the endpoint sends them: the bytes that mutants change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from harness.servers.rules import AnswerSide, ReceivedResponse
from harness.wire import (
    Call,
    Conversation,
    FinishReason,
    Identity,
    Message,
    Route,
    StreamError,
    Text,
    ThinkingPart,
    Turn,
    Usage,
    WireName,
    wire,
)
from harness.wire.base import Json

_THINKING: Final = ThinkingPart("I need the file to answer that.")
_TEXT: Final = Text("I read the file first.")
CALL: Final = Call("read_file", '{"path": "src/app.py", "limit": 20}')
_OTHER: Final = Call("read_file", '{"path": "README.md", "limit": 5}')
_THIRD: Final = Call("list_files", '{"folder": "src"}')
_SPENT: Final = Usage(input=900, output=400, reasoning=256, cached=512)

ANSWERS: Final[Mapping[str, Turn]] = {
    "text": Turn((_TEXT,), usage=_SPENT),
    "thinking": Turn((_THINKING, _TEXT), usage=_SPENT),
    "a call": Turn((_THINKING, _TEXT, CALL), FinishReason.TOOL_CALLS, _SPENT),
    "calls alone": Turn((CALL, _OTHER), FinishReason.TOOL_CALLS, _SPENT),
    "three calls": Turn((_TEXT, CALL, _OTHER, _THIRD), FinishReason.TOOL_CALLS, _SPENT),
    "a cut text": Turn((_TEXT,), FinishReason.MAX_TOKENS),
    "a cut call": Turn((_TEXT, Call("read_file", '{"path": "src')), FinishReason.MAX_TOKENS),
    "no end": Turn((_TEXT, CALL), FinishReason.TOOL_CALLS, ending="eof"),
    "an error in the stream": Turn((_TEXT,), error=StreamError("overloaded")),
}
"""What is answered, by its name. Errors before the first byte are ``HTTP STATUS``."""

_USER: Final = Message("user", (Text("What does src/app.py print?"),), "")


@dataclass(frozen=True, slots=True)
class ServedAnswer:
    """An answer in bytes. ``request`` is the body that asked for it."""

    wire: WireName
    content_type: str
    body: bytes
    status: int = 200
    request: Json = field(default_factory=dict)

    @property
    def response(self) -> ReceivedResponse:
        """As a judge is given it."""
        return ReceivedResponse(self.content_type, self.body, self.status, self.request)

    @property
    def side(self) -> AnswerSide:
        """As one side of a gateway; without a reply where the bytes are none."""
        try:
            reply = None if self.status >= 400 else wire(self.wire).parse(self.content_type, self.body)
        except ValueError:
            reply = None
        streamed = wire(self.wire).transport.is_stream(self.content_type)
        return AnswerSide(wire=self.wire, reply=reply, status=self.status, request=self.request, streamed=streamed)


def asked(name: WireName, *, stream: bool, thinks: bool = False) -> Conversation:
    """A request for an answer with all that a client of the wire asks for beside the words."""
    spoken = wire(name)
    model = (thinks and spoken.thinking_model) or spoken.default_model
    conversation = Conversation(name, model, stream, (_USER,), body=dict(spoken.settings))
    written = spoken.write(conversation)
    route = spoken.route("POST", written.path) or Route(name, model, stream)
    return spoken.read(route, written.body)


def served(name: WireName, what: str | Turn, *, stream: bool) -> ServedAnswer:
    """An answer of ``ANSWERS`` (or any turn) on a wire; ``HTTP STATUS`` is the provider's error with that status."""
    identity = Identity("served")
    if isinstance(what, str) and what.startswith("HTTP "):
        error = wire(name).error(int(what.removeprefix("HTTP ")), identity)
        return ServedAnswer(name, error.headers.get("content-type", ""), error.body, error.status)
    turn = ANSWERS[what] if isinstance(what, str) else what
    thinks = any(isinstance(part, ThinkingPart) for part in turn.parts)
    conversation = asked(name, stream=stream, thinks=thinks)
    rendered = wire(name).render(turn, identity, conversation)
    return ServedAnswer(name, rendered.content_type, rendered.body, rendered.status, dict(conversation.body))
