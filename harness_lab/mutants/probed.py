"""A server that is sound, and the same server with one mistake: what a probe must find.

It is our endpoint with what that does not do by itself: it counts prompt tokens, checks the key, refuses what it does
not know, compacts, and speaks over a WebSocket.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import httpx2

from harness.endpoint import AutomaticModel, CaseEndpoint, Endpoints, Rounds, refusing
from harness.endpoint.source import ModelRequest
from harness.endpoint.transport import EndpointTransport
from harness.ground.data_files import read_data
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


def _members(name: WireName):  # type: ignore[no-untyped-def]
    probed = wire(name).probe
    assert probed is not None  # noqa: S101 - only such wires are probed
    return probed


def _back(name: WireName) -> bool:
    return bool(_members(name).back)


def _without_user(name: WireName) -> bool:
    return bool(_members(name).without_user)


def _demands_a_status(asked: AskedRequest) -> bool:
    made = [item for item in asked.items if asked.own and "call_id" in item and "arguments" in item]
    return any("status" not in item for item in made)


def _as_if_whole(turn: Turn, asked: Conversation) -> Turn:  # noqa: ARG001 - the signature of says
    return replace(turn, stop=FinishReason.END) if turn.stop is FinishReason.MAX_TOKENS else turn


_DOES: Final[Mapping[str, Mapping[str, Any]]] = {
    "call-in-text": {"says": _in_text},
    "own-calls-refused": {"fails": lambda asked: asked.own},
    "empty-summary-refused": {
        "fails": lambda asked: asked.own and any(item.get("summary") == [] for item in asked.items),
        "only": _back,
    },
    "status-demanded": {"fails": _demands_a_status, "only": _back},
    "foreign-calls-refused": {"fails": _is_continued},
    "user-demanded": {"fails": _is_without_user, "only": _without_user},
    "wrong-request-taken": {"takes": _is_wrong},
    "wrong-request-fails": {"fails": _is_wrong},
    "pairs-not-regarded": {"takes": _is_no_pair},
    "tool-dropped": {"takes": _has_unknown_tool, "only": lambda name: bool(_members(name).unknown_tools)},
    "unknown-response-answered": {"takes": lambda asked: bool(_unknown_earlier(asked))},
    "unknown-response-without-code": {"sends": _without_code},
    "same-tokens": {"says": lambda turn, _: replace(turn, usage=replace(turn.usage, input=64))},
    "compaction-refused": {"fails": lambda asked: _COMPACTED in asked.items},
    "compacted-to-nothing": {"sends": _no_output},
    "wrong-key-taken": {"takes": lambda asked: any(_WRONG_KEY in value for value in asked.headers.values())},
    "no-event-of-the-start": {"on_socket": lambda frames: frames[1:] if len(frames) > 1 else frames},
    "no-error-frame": {"on_socket": lambda frames: frames if len(frames) > 1 else []},
    "flat-error-on-the-socket": {"on_socket": lambda frames: frames if len(frames) > 1 else [_FLAT]},
    "no-end-on-the-socket": {"on_socket": lambda frames: frames[:-1]},
    "limit-is-an-end": {"says": _as_if_whole},
    "no-arguments": {"says": _no_arguments},
    "no-answer": {"fails": lambda asked: asked.conversation.stream and not asked.conversation.tools},
}
"""What a server with a mistake does, by the mistake's name."""


def _read(path: Path) -> Iterator[ServerMutant]:
    rows = read_data(path)
    for name in rows:
        with rows.at(name):
            yield ServerMutant(name=name, **_DOES.get(name, {}), **rows[name])


SERVER_MUTANTS: Final = tuple(_read(Path(__file__).with_suffix(".yaml")))
"""Every mistake; a probe of the wire that it is on must find each."""

PROBE_RULES: Final = ("probe/answer", "probe/arguments", "probe/limit")
"""What a probe asks of servers of every wire beside the rules of the table."""
