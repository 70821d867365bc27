"""A conversation without SDK, HTTP client or socket: the wire writes the requests and parses the responses.

The same class speaks every wire. A response is emitted when all of it has arrived, part by part, with long arguments
in pieces. This session is for runs that are about contents and not about timing, and that have no time for an SDK.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from harness.errors import BadInput
from harness.loop.session import (
    AssistantDelta,
    CallResult,
    Delta,
    HttpFailed,
    OnEvent,
    ProviderTurn,
    SessionConfig,
    StreamFailed,
    ThinkingDelta,
    ToolCall,
    ToolCallDelta,
)
from harness.loop.sessions.shared import (
    OwnHistory,
    extras,
    files_in,
    in_container,
    result_text,
    retry_after,
    unique_id,
    words_in,
)
from harness.wire import (
    Call,
    Conversation,
    Message,
    Opaque,
    Part,
    Refusal,
    Reply,
    Result,
    Route,
    Text,
    ThinkingPart,
    UnreadableRequest,
    Wire,
    WireName,
)
from harness.wire.base import ENTRY, Json, Role
from harness.wire.characters import sendable, sendable_value
from harness.wire.json_text import document
from harness.wire.lenient import string

_PIECE, _MOST_PIECES = 48, 16
"""The fewest characters in a piece of arguments, and the most pieces of a streamed call."""


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, perhaps incomplete. Header names are lower case. ``broken`` says how the connection broke, if it did.

    ``status`` is 0 if it broke before there was an answer.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    broken: str = ""

    @property
    def content_type(self) -> str:
        """The type of the body; empty if the server does not name it."""
        return self.headers.get("content-type", "")


Post = Callable[[str, bytes], Answered]
"""Posts a body to a path below the base URL of the session."""


class WireOnlySession(OwnHistory):
    """One conversation on ``wire``; ``post`` and ``get`` reach the model endpoint. Implements ``EditableSession``."""

    def __init__(self, wire: Wire, config: SessionConfig, post: Post, get: Callable[[str], Answered]) -> None:
        self._wire = wire
        self._post = post
        self._get = get
        self._stream = config.stream
        self._call_ids: set[str] = set()
        self._answered = Answered(200, {}, b"")
        # Instructions of white space alone are none: there is a provider that refuses them.
        prompt = [_message(role, text) for role, text in config.prompt if role != "system" or text.strip()]
        self.history: list[Json] = wire.entries(prompt)
        self._apart = tuple(message for message in prompt if not wire.entries([message]))
        self._asking = Conversation(
            wire.name, config.model, config.stream, (), tuple(config.tools), body=dict(wire.settings)
        )

    @property
    def wire(self) -> WireName:
        """The name of the wire."""
        return self._wire.name

    def stored(self) -> dict[str, Any]:
        """What a later session needs to go on. Code that waits can go on only in its own container."""
        container = self._asking.body.get(self._wire.container)
        return {**super().stored(), **({"container": container} if container else {})}

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Go on with what an earlier session has stored."""
        super().restore(stored)
        if "container" in stored:
            self._asking = replace(self._asking, body={**self._asking.body, self._wire.container: stored["container"]})

    def stored_turn(self, turn: ProviderTurn) -> dict[str, Any]:
        """The last turn for a later session, which parses the response again."""
        body = self._answered.body.decode("utf-8", "surrogateescape")
        return {**super().stored_turn(turn), "native": [self._answered.content_type, body]}

    def restored_turn(self, stored: Mapping[str, Any]) -> ProviderTurn:
        """The turn that an earlier session has stored."""
        kind, body = stored["native"]
        self._answered = Answered(200, {"content-type": kind}, body.encode("utf-8", "surrogateescape"))
        return replace(super().restored_turn(stored), assistant_turn=self._read(self._answered))

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn, and emit its deltas when it is complete (``ProviderSession.stream_turn``)."""
        carried = (Message("user", (Opaque(ENTRY, entry),), "") for entry in self.history)
        request = self._wire.write(replace(self._asking, stream=self._stream, messages=(*self._apart, *carried)))
        answered = self._done(self._post(request.path, request.body))
        if answered.status != 200:
            raise _http_failure(answered, self._wire)
        reply, self._answered = self._read(answered), answered
        calls = _calls_with_ids(reply.turn.calls, self._call_ids)
        self._call_ids.update(call.id for call in calls)
        for delta in _deltas(reply.turn.parts, calls, _MOST_PIECES if self._stream else 1):
            await on_event(delta)
        _check(reply, answered)
        if reply.container:  # code that waits goes on only where it has begun
            named = in_container(self._asking.body.get(self._wire.container), reply.container)
            self._asking = replace(self._asking, body={**self._asking.body, self._wire.container: named})
        return _turn(reply, calls)

    def message(self, role: str, text: str) -> Json:
        """A message of the ``user`` or the ``assistant``."""
        (entry,) = self._wire.entries([_message(role, text)])
        return entry

    def turn_messages(self, turn: ProviderTurn) -> list[Json]:
        """The model's turn; empty if it has nothing that the wire can carry."""
        return self._wire.entries(self._wire.returned(turn.assistant_turn, _ids(turn)))

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Json]:
        """The answers to the turn's calls, and the extra texts of calls."""
        results = [Result(each.call.id, result_text(each.result), each.call.name, not each.ok) for each in call_results]
        parsed = list(extras(call_results))
        return self._wire.entries(self._wire.answers(turn.assistant_turn, _ids(turn), results, parsed))

    def set_params(self, **fields: Any) -> None:
        """Change fields of further requests, by the provider's names: settings, ``model``, tools, instructions.

        Raises ``BadInput`` for values that no request can have in these fields.
        """
        asking = replace(self._asking, model=fields.get("model", self._asking.model))
        try:
            parsed = self._wire.read(Route(asking.wire), document(fields))
        except UnreadableRequest as unreadable:
            raise BadInput(f"{', '.join(fields)}: {unreadable}") from unreadable
        self._apart = parsed.messages or self._apart
        tools = parsed.tools if "tools" in fields else asking.tools
        settings = {
            name: value for name, value in fields.items() if name != "model"
        }  # in some requests it is no member
        self._asking = replace(asking, tools=tools, body={**asking.body, **settings})

    def _done(self, answered: Answered) -> Answered:
        """The answer. A response that is made in the background is fetched when it is done."""
        background = self._wire.background
        if background is None or not background.asked(self._asking.body):
            return answered
        while background.is_unfinished(document := object_in(answered.body)):
            answered = self._get(background.path(string(document.get("id"))))
        return answered

    def _read(self, answered: Answered) -> Reply:
        try:
            return self._wire.parse(answered.content_type, answered.body)
        except ValueError as error:
            raise StreamFailed(_words(answered.body) or f"the response cannot be read: {error}") from error


def _message(role: str, text: str) -> Message:
    return Message(cast("Role", role), (Text(sendable(text)),), "")


def _ids(turn: ProviderTurn) -> list[str]:
    return [call.id for call in turn.tool_calls]


# --- the turn -----------------------------------------------------------------------------------------------


def _calls_with_ids(calls: Sequence[Call], taken: Collection[str]) -> tuple[ToolCall, ...]:
    """The calls, each under an id that is unique in the run."""
    ids = set(taken)
    identified = []
    for call in calls:
        call_id = unique_id(sendable_value(call.id), ids, "call_{:024}")
        ids.add(call_id)
        identified.append(ToolCall(call_id, sendable(call.name), sendable(call.arguments)))
    return tuple(identified)


def _deltas(parts: Sequence[Part], calls: Sequence[ToolCall], most: int) -> Iterator[Delta]:
    """A delta for each part with a text, and at most ``most`` deltas for each call."""
    called = iter(calls)
    for part in parts:
        if isinstance(part, Call):
            yield from _call_deltas(next(called), most)
        elif isinstance(part, Text) and part.text:
            yield AssistantDelta(sendable(part.text))
        elif isinstance(part, ThinkingPart) and part.text:
            yield ThinkingDelta(sendable(part.text))


def _call_deltas(call: ToolCall, most: int) -> Iterator[Delta]:
    """The call in at most ``most`` pieces, like in a stream, so that its preview grows in steps."""
    size = max(_PIECE, -(-len(call.arguments) // most))
    for start in range(0, len(call.arguments), size):
        yield ToolCallDelta(call.id, call.name, call.arguments[start : start + size])


def _turn(reply: Reply, calls: tuple[ToolCall, ...]) -> ProviderTurn:
    turn = reply.turn
    return ProviderTurn(
        assistant_text=sendable(turn.text),
        tool_calls=calls,
        assistant_turn=reply,
        stop=turn.stop,
        thinking_text=sendable("".join(part.text for part in turn.parts if isinstance(part, ThinkingPart))),
        refusal=sendable("".join(part.text for part in turn.parts if isinstance(part, Refusal))),
        usage=turn.usage,
        files=tuple(files_in(reply.items)),
        model=sendable(reply.model),
    )


# --- failures -----------------------------------------------------------------------------------------------


def _check(reply: Reply, answered: Answered) -> None:
    """Raise ``StreamFailed`` for a response that is no complete turn."""
    if error := reply.turn.error:
        raise StreamFailed(f"{error.kind}: {error.message}" if error.message else error.kind)
    if not reply.complete:
        raise StreamFailed(answered.broken or "the response ended before its end was said")


def _http_failure(answered: Answered, wire: Wire) -> HttpFailed:
    if not answered.status:
        return HttpFailed(answered.broken)
    body = object_in(answered.body)
    error = body.get("error")
    error = error if isinstance(error, dict) else {}
    words = error.get("message") or string(body.get("message")) or words_in(answered.body)
    wait = retry_after(answered.headers)
    return HttpFailed(
        f"HTTP {answered.status}: {words}", answered.status, wire.wait_in_error(body) if wait is None else wait
    )


def _words(body: bytes) -> str:
    """The text of an error object that came with status 200 instead of a response."""
    error = object_in(body).get("error")
    named = (error.get("code"), error.get("message")) if isinstance(error, dict) else ()
    return ": ".join(each for each in named if isinstance(each, str) and each)


def object_in(body: bytes) -> Json:
    """The JSON object that a body is; empty if it is none."""
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
