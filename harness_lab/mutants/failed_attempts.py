"""Breakages of what a loop makes of a failed attempt: each knows what an answer said before it broke.

An edit gets how each of its case's requests was answered, and changes the requests that come after a failure.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import httpx2

from harness.endpoint import Endpoints
from harness.loop import Delta, HttpFailed, OnEvent, ProviderTurn, StreamFailed, ToolCall, ToolCallDelta
from harness.loop.session import CallResult
from harness.loop.sessions.wire_only import Answered
from harness.targets.wire_only import WireOnlySessions
from harness.wire import Call, Message, Part, Reply, Text, ThinkingPart, Wire, recognise, wire
from harness.wire.base import Json
from harness.wire.failures import says_too_long
from harness_lab.mutants.declared import breaks, seen_in
from harness_lab.mutants.edits import drop_thinking, made_anew
from harness_lab.mutants.sessions import PassingSession


@dataclass
class _Heard:
    """What is known of a case: the ``length`` of the history that was sent last, and how it was answered.

    ``broken`` is the last answer that broke, with the length of the history that it answered; ``failed``: the last
    request got no whole answer.
    """

    length: int = 0
    failed: bool = False
    broken: tuple[int, Reply] | None = None
    answer: tuple[int, str, bytes] | None = None


Edit = Callable[[_Heard, list[Any], str], list[Any]]
"""Makes another history of one that is to be sent, on the wire with this name."""


@dataclass
class _Cases:
    """The cases of one target, by the part of the path that is theirs."""

    edit: Edit
    by_prefix: dict[str, _Heard] = field(default_factory=dict)

    def edited(self, path: str, body: bytes) -> bytes:
        """The body of a request as the edit changes it."""
        route = recognise("POST", _own(path))
        if route is None:
            return body
        heard = self._of(path)
        self._read(heard, wire(route.wire))
        document = json.loads(body)
        history = document[wire(route.wire).history]
        length = len(history)
        document[wire(route.wire).history] = self.edit(heard, history, route.wire)
        heard.length = length
        return json.dumps(document).encode()

    def answered(self, path: str, status: int, content_type: str, body: bytes) -> None:
        """Take in how a request is answered, as far as the answer has come. It is read before the next request."""
        self._of(path).answer = status, content_type, body

    @staticmethod
    def _read(heard: _Heard, speaks: Wire) -> None:
        if heard.answer is None:
            return
        status, content_type, body = heard.answer
        heard.answer, heard.failed = None, True
        if status != 200:
            return
        try:
            reply = speaks.parse(content_type, body)
        except ValueError:
            return
        heard.failed = not reply.complete or reply.turn.error is not None
        if heard.failed:
            heard.broken = heard.length, reply

    def _of(self, path: str) -> _Heard:
        return self.by_prefix.setdefault(path.removesuffix(_own(path)), _Heard())


def _own(path: str) -> str:
    """The path below that of the case."""
    _, _, rest = path.partition("/case/")
    return rest[rest.index("/") :] if "/" in rest else path


class HeardRequests(httpx2.AsyncBaseTransport):
    """Edits every request on its way to ``inner``, and hears the answers."""

    def __init__(self, inner: httpx2.AsyncBaseTransport, edit: Edit) -> None:
        self._inner = inner
        self._cases = _Cases(edit)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send the request as the edit changes it."""
        path = request.url.path
        body = self._cases.edited(path, await request.aread())
        headers = [(name, value) for name, value in request.headers.raw if name.lower() != b"content-length"]
        edited = httpx2.Request(request.method, request.url, headers=headers, content=body)
        response = await self._inner.handle_async_request(edited)
        status, kind = response.status_code, response.headers.get("content-type", "")
        stream = _HeardStream(response.stream, lambda body: self._cases.answered(path, status, kind, body))
        self._cases.answered(path, status, kind, b"")
        return httpx2.Response(status, headers=response.headers, stream=stream, extensions=response.extensions)

    async def aclose(self) -> None:
        """Close the transport below."""
        await self._inner.aclose()


class _HeardStream(httpx2.AsyncByteStream):
    """A body that somebody else hears as far as it comes."""

    def __init__(self, inner: Any, hear: Callable[[bytes], None]) -> None:
        self._inner = inner
        self._hear = hear
        self._body = b""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            self._body += chunk
            self._hear(self._body)
            yield chunk

    async def aclose(self) -> None:
        """Close the body below."""
        await self._inner.aclose()


class HeardPosts(WireOnlySessions):
    """Edits every request of sessions without an SDK, and hears the answers."""

    def __init__(self, endpoints: Endpoints, edit: Edit) -> None:
        super().__init__(endpoints)
        self._cases = _Cases(edit)

    def _post(self, target: str, headers: Mapping[str, str], body: bytes) -> Answered:
        path = target.partition("?")[0]
        answered = super()._post(target, headers, self._cases.edited(path, body))
        self._cases.answered(path, answered.status, answered.headers.get("content-type", ""), answered.body)
        return answered


# --- what broke is sent ---------------------------------------------------------------------------------------


def _of_the_answer(name: str, reply: Reply, kept: tuple[type[Part], ...]) -> list[Json]:
    """The entries of a history that say these parts of an answer."""
    parts = tuple(part for part in reply.turn.parts if isinstance(part, kept))
    return wire(name).entries([Message("assistant", parts, "")]) if parts else []


ANY: tuple[type[Part], ...] = (Text, ThinkingPart, Call)
"""Every kind of part that an answer has."""


def sends_back(*kept: type[Part]) -> Edit:
    """The request that asks again has these parts of the answer that broke."""

    def edit(heard: _Heard, history: list[Any], name: str) -> list[Any]:
        if not heard.failed or heard.broken is None:
            return history
        return [*history, *_of_the_answer(name, heard.broken[1], kept)]

    return edit


def keeps_later(*kept: type[Part]) -> Edit:
    """The request that asks again is right; those after it have these parts of the answer that broke."""

    def edit(heard: _Heard, history: list[Any], name: str) -> list[Any]:
        if heard.broken is None or len(history) <= heard.broken[0]:
            return history
        at, reply = heard.broken
        return [*history[:at], *_of_the_answer(name, reply, kept), *history[at:]]

    return edit


# --- what was done before is sent otherwise -----------------------------------------------------------------


@breaks(
    *("after_a_failure", "thinking-forgotten-on-a-retry"),
    *("history/append-only", "history/model-thinking", "continuation/"),
)
@seen_in("server-error-after-a-signed-turn")
def forgets_thinking(heard: _Heard, history: list[Any], name: str) -> list[Any]:  # noqa: ARG001 - one for all wires
    """Sends no thinking where a request has to be sent again."""
    if not heard.failed:
        return history
    changed: list[Any] = drop_thinking(history)
    return changed


@breaks("after_a_failure", "results-lost-on-a-retry", "continuation/", "history/results")
@seen_in("overloaded-between-turns", "unavailable-after-parallel-calls")
def answers_without_results(heard: _Heard, history: list[Any], name: str) -> list[Any]:  # noqa: ARG001 - one for all
    """Leaves the last results out where a request has to be sent again."""
    return history[:-1] if heard.failed else history


@breaks("after_a_failure", "results-twice-on-a-retry", "continuation/", "history/results")
@seen_in("overloaded-between-turns", "unavailable-after-parallel-calls")
def answers_once_more(heard: _Heard, history: list[Any], name: str) -> list[Any]:  # noqa: ARG001 - one for all
    """Sends the last result twice where a request has to be sent again."""
    return [*history, history[-1]] if heard.failed else history


# unseen_on: whose results have no ids
@breaks("after_a_failure", "results-made-anew-on-a-retry", "retry/same-results", unseen_on="text-tags")
@seen_in("overloaded-between-turns", "unavailable-after-parallel-calls", "retried-run-with-parallel-calls")
def results_made_anew(heard: _Heard, history: list[Any], name: str) -> list[Any]:  # noqa: ARG001 - one for all
    """Sends results of a second run of the tools where a request has to be sent again."""
    return [made_anew(entry) for entry in history] if heard.failed else history


# --- what broke is run, or what was done is run again -------------------------------------------------------


class _RunsMore(PassingSession):
    """Has the loop run ``more`` calls than the model has made in a turn; the model gets the results of its own."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self.more: tuple[ToolCall, ...] = ()

    def understood(self, turn: ProviderTurn) -> ProviderTurn:
        """Return the turn with the calls of another."""
        more, self.more = self.more, ()
        return replace(turn, tool_calls=(*more, *turn.tool_calls)) if more else turn

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results of the calls that the model has made in its turn."""
        own = replace(turn, tool_calls=tuple(call for call in turn.tool_calls if call not in self.extra))
        return super().result_messages(own, [each for each in call_results if each.call not in self.extra])

    def turn_messages(self, turn: ProviderTurn) -> list[Any]:
        """Return the turn with the calls that the model has made in it."""
        own = replace(turn, tool_calls=tuple(call for call in turn.tool_calls if call not in self.extra))
        return super().turn_messages(own)

    @property
    def extra(self) -> list[ToolCall]:
        """The calls that were run beside those of the turn."""
        return []


class RunsWhatBroke(_RunsMore):
    """Runs the calls of an answer that broke, beside those of the answer that it gets when it asks again."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self._broken: list[ToolCall] = []

    @property
    def extra(self) -> list[ToolCall]:
        """The calls of answers that broke."""
        return self._broken

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Keep the calls of an answer that breaks for the next one."""
        made: dict[str, ToolCall] = {}

        async def hear(delta: Delta) -> None:
            if isinstance(delta, ToolCallDelta):
                before = made[delta.id].arguments if delta.id in made else ""
                made[delta.id] = ToolCall(delta.id, delta.name, before + delta.arguments)
            await on_event(delta)

        try:
            return await super().stream_turn(hear)
        except StreamFailed:
            self.more = tuple(made.values())
            self._broken += self.more
            raise


@breaks("session", "completed-calls-run-again", "order/tool-ids-fresh", "order/tool-id")
@seen_in("overloaded-between-turns", "gateway-page-between-turns", "overloaded-not-streamed-between-turns")
class RunsCompletedCallsAgain(_RunsMore):
    """Runs the calls of the turn before once more where a request had to be sent again."""

    def __init__(self, inner: Any) -> None:
        super().__init__(inner)
        self._last: tuple[ToolCall, ...] = ()
        self._again: list[ToolCall] = []

    @property
    def extra(self) -> list[ToolCall]:
        """The calls that were run again."""
        return self._again

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Add the calls of the last turn to the one that comes after an HTTP error."""
        try:
            turn = await super().stream_turn(on_event)
        except HttpFailed:
            self.more, self._again = self._last, [*self._last]
            raise
        self._last = turn.tool_calls
        return turn


# --- what is too long ------------------------------------------------------------------------------------------


class GoesOnWithLessWhenTooLong(PassingSession):
    """Asks again with the question alone and a word of what was done where the history is too long. That is right."""

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask once more with a shorter history."""
        try:
            return await super().stream_turn(on_event)
        except (HttpFailed, StreamFailed) as failure:
            if not says_too_long(str(failure)):
                raise
            self.history[:] = self.shorter()
            return await super().stream_turn(on_event)

    def shorter(self) -> list[Any]:
        """The history to go on with."""
        return [self.history[0], self.message("user", "Both bills were paid before.")]


# unseen_on: where no server refuses a result of no call
@breaks("session", "pair-cut-when-too-long", "continuation/", unseen_on="text-tags")
@seen_in("context-too-long-at-a-later-turn", "context-too-long-not-streamed")
class CutsAPairWhenTooLong(GoesOnWithLessWhenTooLong):
    """Drops a call and keeps its result where the history is too long."""

    def shorter(self) -> list[Any]:
        """The history without the model's first turn."""
        return [self.history[0], *self.history[2:]]
