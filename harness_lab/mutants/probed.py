"""A server that is sound, and the same server with one mistake: what a probe must find.

It is our endpoint with what that does not do by itself: it counts prompt tokens, checks the key, refuses what it does
not know, compacts, and speaks over a WebSocket.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Final

import httpx2

from harness.endpoint import AutomaticModel, CaseEndpoint, Endpoints, Rounds, refusing
from harness.endpoint.source import ModelRequest
from harness.endpoint.transport import EndpointTransport
from harness.loop.sessions.wire_only import Answered
from harness.scenario import TurnStep
from harness.servers.asking import Asking, Talk, TalkOver
from harness.servers.rules import ProbeStep, probe_rule
from harness.trace import Case
from harness.wire import (
    Conversation,
    FinishReason,
    Identity,
    Route,
    Text,
    ThinkingPart,
    Turn,
    Usage,
    WireName,
    wire,
)
from harness.wire.base import Json
from harness.wire.json_text import compact
from harness.wire.lenient import members, objects
from harness.wire.sse import parse_events

_BASE: Final = "http://probed.invalid/case/probed"
_WRONG_KEY: Final = "wrong-"
_LONG: Final = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
_FLAT: Final = '{"type":"error","code":"invalid_value","message":"No such message.","param":"type"}'
_COMPACTED: Final = {"type": "compaction", "encrypted_content": "Z2VuZXJhdGVk"}


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """A request as it was read. ``own`` says whether a call in it is one that the server has made."""

    wire: WireName
    path: str
    headers: Mapping[str, str]
    body: Json
    conversation: Conversation
    own: bool = False

    @property
    def items(self) -> list[Json]:
        """The entries of its history."""
        return objects(self.body.get(wire(self.wire).history))


def _refuses_nothing(asked: AskedRequest) -> bool:  # noqa: ARG001 - the signature of a predicate
    return False


def _same_turn(turn: Turn, asked: Conversation) -> Turn:  # noqa: ARG001 - the signature of says
    return turn


def _same_answer(answered: Answered, asked: AskedRequest) -> Answered:  # noqa: ARG001 - the signature of sends
    return answered


@dataclass(frozen=True, slots=True)
class ServerMutant:
    """One mistake of a server. The rule that finds it is what a probe's rules call ``step``, or ``rule`` itself.

    ``fails`` are the requests that it answers with ``status`` in place of an answer, ``takes`` those that it answers
    although they are wrong. ``says`` is what its model says instead, ``sends`` what it sends instead of its answer.
    ``on_socket`` is what it does with the frames for one message, and ``mixed``: it sends the answers to two messages
    at once. ``wires`` are those on which there is such a mistake; none: all.
    """

    name: str
    summary: str
    step: ProbeStep | None = None
    rule: str = ""
    fails: Callable[[AskedRequest], bool] = field(default=_refuses_nothing, repr=False)
    status: int = 500
    takes: Callable[[AskedRequest], bool] = field(default=_refuses_nothing, repr=False)
    says: Callable[[Turn, Conversation], Turn] = field(default=_same_turn, repr=False)
    sends: Callable[[Answered, AskedRequest], Answered] = field(default=_same_answer, repr=False)
    on_socket: Callable[[list[str]], list[str]] = field(default=lambda frames: frames, repr=False)
    mixed: bool = False
    only: Callable[[WireName], bool] = field(default=lambda _: True, repr=False)
    evidence: str = ""

    def named(self, name: WireName) -> str:
        """The rule that must find it on a wire; empty where there is no such rule."""
        rule = probe_rule(name, self.step) if self.step is not None else None
        return "" if not self.only(name) else rule.id if rule is not None else self.rule


_SOUND: Final = ServerMutant("no fault", "A sound server.")


class _CountingModel(AutomaticModel):
    """Counts prompt tokens, and reaches the token limit where it is asked to say much."""

    def __init__(self, name: WireName, mutant: ServerMutant) -> None:
        super().__init__()
        self._speaker = wire(name)
        self._mutant = mutant

    def next(self, request: ModelRequest) -> TurnStep:
        step = super().next(request)
        asked = request.conversation
        usage = Usage(input=len(compact(asked.body)) // 4, output=24)
        turn = replace(self._thinking(step.turn), usage=usage)
        if any("Count from" in message.text for message in asked.messages):
            turn = Turn((Text(_LONG),), FinishReason.MAX_TOKENS, usage)
        return replace(step, turn=self._mutant.says(turn, asked))

    def _thinking(self, turn: Turn) -> Turn:
        """With a thought, where clients send it back in several forms."""
        assert self._speaker.probe is not None  # noqa: S101 - only such wires are probed
        thoughts = (ThinkingPart("The tool can answer this."),) if self._speaker.probe.back and turn.calls else ()
        return replace(turn, parts=(*thoughts, *turn.parts))


class ProbedServer:
    """A server of one wire, in this process: what a probe asks in the place of ``Asking``."""

    def __init__(self, name: WireName, mutant: ServerMutant = _SOUND) -> None:
        self._name = name
        self.mutant = mutant
        self._issued: list[Json] = []
        self._strict = self._asking("what the provider does")
        self._lenient = self._asking("nothing")

    def _asking(self, refuses: str) -> Asking:
        endpoints = Endpoints()
        endpoints.open("probed", Rounds(lambda number: self._endpoint(number, refuses)), "m")
        return Asking(httpx2.AsyncClient(transport=EndpointTransport(endpoints)), _BASE, 20)

    def _endpoint(self, number: int, refuses: str) -> CaseEndpoint:
        case = Case(f"probed.{number}", "probed", self._name)
        model = _CountingModel(self._name, self.mutant)
        if refuses == "nothing":
            return CaseEndpoint(case, model, clock=float, enforcement=refusing("nothing"))
        return CaseEndpoint(case, model, clock=float)

    async def post(self, path: str, headers: Mapping[str, str], body: bytes) -> Answered:
        """The answer to a request."""
        asked = self._read(path, headers, body)
        if self.mutant.fails(asked):
            return self._error(self.mutant.status)
        if not self.mutant.takes(asked) and (refused := self._refused(asked)) is not None:
            return self.mutant.sends(refused, asked)
        if path.endswith("/compact"):
            output = [*asked.items, _COMPACTED]
            answered = _document({"object": "response.compaction", "output": output})
            return self.mutant.sends(answered, asked)
        asking = self._lenient if self.mutant.takes(asked) else self._strict
        answered = await asking.post(path, headers, body)
        self._remember(answered)
        return self.mutant.sends(answered, asked)

    @asynccontextmanager
    async def talk(self, path: str, headers: Mapping[str, str], channel: str) -> AsyncGenerator[Talk]:  # noqa: ARG002 - it has one
        """Its WebSocket."""
        yield _SocketInProcess(self, path, headers)

    def _read(self, path: str, headers: Mapping[str, str], body: bytes) -> AskedRequest:
        speaker = wire(self._name)
        route = speaker.route("POST", path) or speaker.aside("POST", path) or Route(self._name)
        conversation = speaker.read(route, body, {})
        calls = [_arguments(call.arguments) for message in conversation.messages for call in message.calls]
        own = any(each in self._issued for each in calls)
        return AskedRequest(self._name, path, headers, json.loads(body), conversation, own)

    def _refused(self, asked: AskedRequest) -> Answered | None:
        if any(_WRONG_KEY in value for value in asked.headers.values()):
            return self._error(401)
        if _has_unknown_tool(asked):
            return self._error(400)
        if earlier := _unknown_earlier(asked):
            error = members(json.loads(self._error(400).body)["error"])
            return replace(self._error(400), body=json.dumps({"error": {**error, "code": earlier}}).encode())
        return None

    def _error(self, status: int) -> Answered:
        error = wire(self._name).error(status, Identity("probed"))
        return Answered(error.status, error.headers, error.body)

    def _remember(self, answered: Answered) -> None:
        if answered.status == 200:
            reply = wire(self._name).parse(answered.headers.get("content-type", ""), answered.body)
            self._issued += [_arguments(call.arguments) for call in reply.turn.calls]


class _SocketInProcess:
    """A WebSocket whose answers are the streams that the server sends over HTTP."""

    def __init__(self, server: ProbedServer, path: str, headers: Mapping[str, str]) -> None:
        self._server, self._path, self._headers = server, path, headers
        self._waiting: deque[deque[str]] = deque()

    async def send(self, text: str) -> None:
        frames = await self._answered(json.loads(text))
        self._waiting.append(deque(self._server.mutant.on_socket(frames)))

    async def _answered(self, asked: Json) -> list[str]:
        if asked.pop("type") != "response.create":
            return [compact({"type": "error", "status": 400, "error": {"type": "invalid_request_error"}})]
        body = json.dumps({**asked, "stream": True}).encode()
        answered = await self._server.post(self._path, self._headers, body)
        return [event.data for event in parse_events(answered.body)]

    async def receive(self) -> str:
        while self._waiting and not self._waiting[0]:
            self._waiting.popleft()
        if not self._waiting:
            raise TalkOver("the socket is closed")
        frame = self._waiting[0].popleft()
        if self._server.mutant.mixed:
            self._waiting.rotate()
        return frame


def _document(value: Json) -> Answered:
    return Answered(200, {"content-type": "application/json"}, json.dumps(value).encode())


def _arguments(text: str) -> Json:
    return members(json.loads(text or "{}"))


def _has_unknown_tool(asked: AskedRequest) -> bool:
    return any(tool.get("type") == "unknown_tool_type" for tool in objects(asked.body.get("tools")))


def _unknown_earlier(asked: AskedRequest) -> str:
    """The code of the refusal, where a request names an earlier response: this server keeps none."""
    probed = wire(asked.wire).probe
    named = probed is not None and probed.unknown_earlier.keys() & asked.body.keys()
    return probed.unknown_code if probed is not None and named else ""


# --- faults -----------------------------------------------------------------------------------------------------


def _in_text(turn: Turn, asked: Conversation) -> Turn:
    """The calls that nobody has forced are left in the text, as the model has written them."""
    if not turn.calls or wire(asked.wire).tool_choice(asked.body).required:
        return turn
    written = "".join(
        f"<tool_call>{compact({'name': call.name, 'arguments': json.loads(call.arguments)})}</tool_call>"
        for call in turn.calls
    )
    return Turn((Text(written),), FinishReason.END, turn.usage)


def _is_continued(asked: AskedRequest) -> bool:
    """Whether it goes on from calls and results of which the server knows nothing."""
    spoken = asked.conversation.messages
    calls, results = (any(getattr(message, what) for message in spoken) for what in ("calls", "results"))
    return calls and results and not asked.own


def _is_without_user(asked: AskedRequest) -> bool:
    spoken = asked.conversation.messages
    return bool(spoken) and not any(message.role == "user" and message.text for message in spoken)


def _is_wrong(asked: AskedRequest) -> bool:
    return not asked.conversation.messages or asked.body.get("temperature") == 99


def _is_no_pair(asked: AskedRequest) -> bool:
    spoken = asked.conversation.messages
    calls, results = (any(getattr(message, what) for message in spoken) for what in ("calls", "results"))
    return calls != results


def _without_code(answered: Answered, asked: AskedRequest) -> Answered:
    if not _unknown_earlier(asked):
        return answered
    error = members(json.loads(answered.body)["error"])
    return replace(answered, body=json.dumps({"error": {**error, "code": "invalid_value"}}).encode())


def _no_output(answered: Answered, asked: AskedRequest) -> Answered:
    return _document({"object": "response.compaction"}) if asked.path.endswith("/compact") else answered


def _no_arguments(turn: Turn, asked: Conversation) -> Turn:  # noqa: ARG001 - the signature of says
    parts = tuple(replace(part, arguments="{}") if part in turn.calls else part for part in turn.parts)
    return replace(turn, parts=parts)


SERVER_MUTANTS: Final = (
    ServerMutant(
        "call-in-text",
        "A call is left in the text.",
        "calls in text",
        "probe/answer",
        says=_in_text,
        evidence="omlx #3153",
    ),
    ServerMutant(
        "own-calls-refused",
        "Calls that it has made itself come back, and it fails.",
        "own answer back",
        fails=lambda asked: asked.own,
        evidence="omlx PR #1997: the second request fails on the id that the server has made",
    ),
    ServerMutant(
        "empty-summary-refused",
        "A reasoning item with an empty summary is refused.",
        "own answer back",
        fails=lambda asked: asked.own and any(item.get("summary") == [] for item in asked.items),
        status=400,
        only=lambda name: bool(_back(name)),
        evidence="ggml-org/llama.cpp #29159",
    ),
    ServerMutant(
        "status-demanded",
        "An item without a status is refused.",
        "own answer back",
        fails=lambda asked: any("call_id" in item and "arguments" in item and "status" not in item
                                for item in asked.items if asked.own),
        status=400,
        only=lambda name: bool(_back(name)),
        evidence="am17an/llama.cpp #50",
    ),
    ServerMutant(
        "foreign-calls-refused",
        "It fails where a loop goes on that another server began.",
        "continuation",
        fails=_is_continued,
    ),
    ServerMutant(
        "user-demanded",
        "It fails where no message of a user is there.",
        "continuation",
        fails=_is_without_user,
        only=lambda name: _without_user(name),
        evidence="ollama #17778",
    ),
    ServerMutant(
        "wrong-request-taken",
        "It answers a request without messages, or with a temperature of 99.",
        "wrong request",
        takes=_is_wrong,
        evidence="llama.cpp answers 200 to 16 of 19 wrong requests",
    ),
    ServerMutant(
        "wrong-request-fails",
        "A wrong request is an error of the server.",
        "wrong request",
        fails=_is_wrong,
        evidence="sglang PR #25876 (500 for all)",
    ),
    ServerMutant(
        "pairs-not-regarded",
        "It answers a result without its call, and a call without its result.",
        "wrong continuation",
        takes=_is_no_pair,
        evidence="llm-memory-api PR #179",
    ),
    ServerMutant(
        "tool-dropped",
        "A tool of an unknown type is dropped.",
        "unknown tool type",
        takes=_has_unknown_tool,
        only=lambda name: bool(_members(name).unknown_tools),
        evidence="TensorRT-LLM PR #18130",
    ),
    ServerMutant(
        "unknown-response-answered",
        "An earlier response that there never was is not missed.",
        "unknown earlier response",
        takes=lambda asked: bool(_unknown_earlier(asked)),
        evidence="oh-my-pi #925",
    ),
    ServerMutant(
        "unknown-response-without-code",
        "It refuses it with another code.",
        "unknown earlier response",
        sends=_without_code,
    ),
    ServerMutant(
        "same-tokens",
        "It counts the same prompt tokens whatever is asked.",
        "prompt tokens",
        "probe/tokens",
        says=lambda turn, _: replace(turn, usage=replace(turn.usage, input=64)),
        evidence="Kimi tests/prompt_tokens",
    ),
    ServerMutant(
        "compaction-refused",
        "What it has compacted is refused.",
        "compaction",
        fails=lambda asked: _COMPACTED in asked.items,
        status=400,
        evidence="openai-python #3075",
    ),
    ServerMutant("compacted-to-nothing", "A compacted history has no items.", "compaction", sends=_no_output),
    ServerMutant(
        "wrong-key-taken",
        "Any key will do.",
        "wrong key",
        takes=lambda asked: any(_WRONG_KEY in value for value in asked.headers.values()),
    ),
    ServerMutant(
        "no-event-of-the-start",
        "A response on the WebSocket has no response.created.",
        "channel",
        on_socket=lambda frames: frames[1:] if len(frames) > 1 else frames,
    ),
    ServerMutant("mixed-responses", "Two responses on the WebSocket are mixed.", "channel", mixed=True),
    ServerMutant(
        "no-error-frame",
        "A wrong message on the WebSocket is not answered.",
        "channel",
        on_socket=lambda frames: frames if len(frames) > 1 else [],
    ),
    ServerMutant(
        "flat-error-on-the-socket",
        "An error on the WebSocket is the flat event of a stream, without a status.",
        "channel error",
        on_socket=lambda frames: frames if len(frames) > 1 else [_FLAT],
    ),
    ServerMutant(
        "no-end-on-the-socket",
        "A response on the WebSocket never ends.",
        "channel",
        on_socket=lambda frames: frames[:-1],
    ),
    ServerMutant(
        "limit-is-an-end",
        "An answer that the token limit has cut stops as if it were whole.",
        rule="probe/limit",
        says=lambda turn, _: replace(turn, stop=FinishReason.END)
        if turn.stop is FinishReason.MAX_TOKENS
        else turn,
    ),
    ServerMutant(
        "no-arguments", "The arguments of calls never come.", rule="probe/arguments", says=_no_arguments
    ),
    ServerMutant(
        "no-answer",
        "Right requests fail.",
        rule="probe/answer",
        fails=lambda asked: asked.conversation.stream and not asked.conversation.tools,
    ),
)  # fmt: skip
"""Every mistake; a probe of the wire that it is on must find each."""

PROBE_RULES: Final = ("probe/answer", "probe/arguments", "probe/limit")
"""What a probe asks of servers of every wire beside the rules of the table."""


def _members(name: WireName):  # type: ignore[no-untyped-def]
    probed = wire(name).probe
    assert probed is not None  # noqa: S101 - only such wires are probed
    return probed


def _back(name: WireName) -> bool:
    return bool(_members(name).back)


def _without_user(name: WireName) -> bool:
    return bool(_members(name).without_user)
