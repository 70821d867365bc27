"""Turn by turn: the caller reads each turn and may change the history before the next request.

Source: "How the Tool Runner Works". After each turn that the caller has received

1. the turn is appended to the history, unless the caller changed anything while it had the turn;
2. if the turn is in the history, whoever put it there, its calls are answered: each tool runs once, and the
   results go right behind the turn. If the caller pushed the results as well, nothing is left to do;
3. the next request is sent, or the run ends: when the turn called no tool and the caller changed nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import BadInput
from harness.loop.asking import end_waiting
from harness.loop.calls import TurnCalls
from harness.loop.driver import Driver, SendMessage, Sleep, Tools
from harness.loop.engine import Engine
from harness.loop.holder import SessionHolder
from harness.loop.outcome import NOT_RUN, AgentResult, Outcome, cut_short, ended_by
from harness.loop.policy import TOOL_RUNNER, LoopPolicy
from harness.loop.session import EditableSession, ProviderTurn

_LEFT_OUT = "Not run: the caller left the model's turn out of the history."


@dataclass(frozen=True, slots=True, eq=False)
class ToolResponse:
    """The answers to a turn's calls, in the provider's own form. ``messages`` are sent with the caller's edits."""

    messages: list[Any]


Message = tuple[str, str] | ProviderTurn | ToolResponse | dict[str, Any]
"""What a caller may push: (role, text), a turn (unchanged, or with its ``assistant_turn`` edited), the answers to
its calls, or a message in the provider's own form."""


class Runner(SessionHolder[EditableSession]):
    """Yields each turn of a run: ``async for turn in runner``, once. ``result`` is how the run ended, None before.

    A caller that leaves the loop early ends the run; nothing more is sent or emitted. ``session`` is open, and closed
    with the runner. ``prompt`` is only noted in the result's history. ``turn_limit`` overrides the policy's.
    Raises ``BadInput`` for tools that are not functions. Iterating raises ``AgentError`` like a run.
    """

    def __init__(
        self,
        session: EditableSession,
        tools: Tools,
        send_message: SendMessage,
        policy: LoopPolicy = TOOL_RUNNER,
        *,
        turn_limit: int | None = None,
        prompt: Sequence[tuple[str, str]] = (),
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        others = [each.name for each in tools.declarations if tools.kind(each.name) != "function"]
        if others:
            raise BadInput(f"a turn-by-turn run has function tools only; {', '.join(others)} must be resolved")
        super().__init__(session)
        self.result: AgentResult | None = None
        self._driver = Driver(session, tools, send_message, sleep)
        self._engine = Engine(tools, policy.with_limit(turn_limit), prompt)
        self._current: _Iteration | None = None
        self._answering = asyncio.Lock()

    @property
    def messages(self) -> list[Any]:
        """A copy of the history in the provider's own form, without the turn that the caller has."""
        return list(self._session.history)

    async def __aiter__(self) -> AsyncGenerator[ProviderTurn]:
        engine, drive = self._engine, self._driver.drive
        while not engine.no_turn_left():
            turn, live = await drive(engine.ask())
            self._current = current = _Iteration(turn, engine.calls_of(turn, live), self._session)
            yield turn
            outcome = self._ending(current)
            if outcome is None:
                await self._go_on(current)
            self._current = None
            if outcome is not None:
                await drive(end_waiting(live.waiting, NOT_RUN[outcome]))
                self.result = await drive(engine.finish(turn, outcome))
                return
            await drive(end_waiting(live.waiting, _LEFT_OUT if current.end is None else NOT_RUN["completed"]))
        self.result = await drive(engine.reach_limit())

    async def until_done(self) -> AgentResult:
        """Let the run go on to its end, without changing anything."""
        async for _ in self:
            pass
        assert self.result is not None  # noqa: S101 - an iteration that ends has set it
        return self.result

    def push_messages(self, *messages: Message) -> None:
        """Append to the history. The turn that the caller has is then not appended automatically.

        Raises ``BadInput``, and changes nothing, for an object that is no message, and if the answers to the turn's
        calls are not right behind the turn.
        """
        self._put(len(self._session.history), messages)

    def set_params(self, *, messages: Sequence[Message] | None = None, **fields: Any) -> None:
        """Change fields of further requests, by the provider's names, or the whole history.

        The turn that the caller has is then not appended automatically: without ``messages`` the same history is sent
        once more. Raises like ``push_messages``.
        """
        if messages is None:
            self._put(len(self._session.history), ())
        else:
            self._put(0, messages)
        self._session.set_params(**fields)

    async def generate_tool_response(self) -> ToolResponse | None:
        """Run the tools that the turn called and make the messages that answer it; None if it called none.

        Changes no history. The tools run once: the answers are kept, and the runner sends them itself unless the
        caller pushes them. No call of a truncated or refused turn runs; the answers then say so. Raises ``BadInput``
        outside the loop, and ``ToolRetriesExceeded`` if the policy has such a limit.
        """
        current = self._current
        if current is None:
            raise BadInput("there is no turn to answer; ask while the loop is at one")
        async with self._answering:
            if current.response is None and current.turn.tool_calls:
                cut = cut_short(current.turn)
                calls = current.calls
                await self._driver.drive(calls.skip(NOT_RUN[cut]) if cut else calls.run_all())
                current.response = ToolResponse(self._session.result_messages(current.turn, calls.call_results))
        return current.response

    def _ending(self, current: _Iteration) -> Outcome | None:
        if not current.changed and (outcome := ended_by(current.turn)):
            return outcome
        stops = self._engine.no_turn_left() and self._engine.policy.at_limit == "stop"
        return "turn-limit" if stops else None

    async def _go_on(self, current: _Iteration) -> None:
        """Bring the history up to date: add the turn, unless the caller changed anything, and the answers to it."""
        history = self._session.history
        if not current.changed:
            history += current.native
            current.end = len(history)
        if current.end is not None:
            response = await self.generate_tool_response()
            if response and not current.answered:
                history[current.end : current.end] = response.messages
            self._engine.progress.answered(current.calls.call_results)

    def _put(self, start: int, messages: Sequence[Message]) -> None:
        """Replace the history from ``start`` on with ``messages``, and look for the turn and its answers among them."""
        history = [*self._session.history[:start], *(native for each in messages for native in self._native(each))]
        if current := self._current:
            native = current.native
            for each in messages:
                if isinstance(each, ProviderTurn) and current.is_turn(each):
                    native = self._native(each)
            current.see(history, start, native)
        self._session.history[:] = history
        for each in messages:
            match each:
                case (role, text):
                    self._engine.progress.pushed(role, text)
                case dict():
                    self._engine.progress.pushed_native(each)

    def _native(self, message: Message) -> list[Any]:
        match message:
            case ToolResponse(native):
                return native
            case ProviderTurn():
                return self._session.turn_messages(message)
            case (str(role), str(text)):
                return [self._session.message(role, text)]
            case dict():
                return [message]
        raise BadInput(f"a {type(message).__name__} is no message: push (role, text), a turn, a response or an object")


class _Iteration:
    """A turn while the caller has it.

    ``native`` is the turn in its form for the history. ``end`` is the index behind it, None while the history does not
    contain the turn. ``before`` is the history in the request for the turn: an entry of it is never this turn, even if
    it is equal.
    """

    def __init__(self, turn: ProviderTurn, calls: TurnCalls, session: EditableSession) -> None:
        self.turn = turn
        self.calls = calls
        self.native = session.turn_messages(turn)
        self.before = list(session.history)
        self.changed = False
        self.end: int | None = None
        self.response: ToolResponse | None = None
        self.answered = False

    def is_turn(self, other: ProviderTurn) -> bool:
        """Whether ``other`` is this turn, perhaps edited. It is if the calls to be answered are the same."""
        return other.tool_calls == self.turn.tool_calls

    def see(self, history: list[Any], start: int, native: list[Any]) -> None:
        """Note where this turn, as ``native``, and its answers are in ``history``, which is new from ``start`` on.

        Raises ``BadInput``, and notes nothing, if the answers are not right behind the turn.
        """
        end = self.end if self.end is not None and self.end <= start else self._end_of(native, history, start)
        answers = self.response.messages if self.response else []
        answers_end = self._end_of(answers, history, start)
        answered = answers_end is not None or (self.answered and start > 0)
        if answers_end is not None and answers_end - len(answers) != end:
            raise BadInput("the answers to a turn's calls belong right behind the turn")
        self.native, self.changed, self.end, self.answered = native, True, end, answered

    def _end_of(self, part: list[Any], history: list[Any], start: int) -> int | None:
        """The index behind the last new occurrence of ``part`` in ``history``, from ``start`` on."""
        earlier = set(map(id, self.before))
        for end in range(len(history), start + len(part) - 1, -1):
            found = history[end - len(part) : end]
            if part and found == part and earlier.isdisjoint(map(id, found)):
                return end
        return None
