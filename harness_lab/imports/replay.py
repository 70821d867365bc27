"""Recorded responses given to the reference adapters, and what these send to go on held against the recording."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from harness.loop import EditableSession, Executed, ProviderTurn, SessionConfig
from harness.loop.session import Delta
from harness.targets.base import MODELS
from harness.targets.clients import Clients
from harness.targets.sessions import Sessions
from harness.wire import HISTORY, Conversation, Route, Violation, wire
from harness.wire.lenient import entries
from harness_lab.corpus.replay import Memory
from harness_lab.imports.comparison import compared, given
from harness_lab.imports.continuation import Continuation, history
from harness_lab.imports.judging import NOT_STORED, Rules, native_history
from harness_lab.imports.links import Link, NotReplayable, links_of
from harness_lab.imports.loops import Loop, Step
from harness_lab.imports.outcome import Difference, Finding, Outcome

__all__ = ["Replayer"]

_ADDRESS: Final = "http://recorded"
_ENCRYPTED: Final = "reasoning.encrypted_content"


@dataclass(slots=True)
class _Found:
    """What has been found in a loop so far."""

    differences: dict[Difference, None] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def judged(self, step: Step, violations: Iterable[Violation]) -> None:
        """Take in the rules that our continuation breaks."""
        for each in violations:
            if each.rule == NOT_STORED and _ENCRYPTED not in entries(step.asked.body.get("include")):
                self.differences["reasoning not stored"] = None
            else:
                self.findings.append(_finding(step, f"rule {each.rule}", each.expected, each.got))


class Replayer:
    """Replays loops, one after the other; the SDK clients are made once. Close it after use.

    ``sessions`` opens the sessions over the transport that it is made with; other than the reference adapters are
    given where it is to be seen that broken ones are found.
    """

    def __init__(self, transport: Memory | None = None, sessions: Sessions | None = None) -> None:
        self._transport = transport or Memory()
        self._sessions = sessions or Clients(self._transport)

    async def replay(self, loop: Loop) -> Outcome:
        """The outcome of a loop. Whatever the adapters raise is a finding."""
        found = _Found()
        try:
            await self._play(loop, links_of(loop), found)
        except NotReplayable as why:
            return Outcome(loop, why.obstacle, why.at)
        return Outcome(loop, differences=tuple(found.differences), findings=tuple(found.findings))

    async def close(self) -> None:
        """Close the clients."""
        await self._sessions.close()

    async def _play(self, loop: Loop, links: Sequence[Link], found: _Found) -> None:
        session = self._opened(loop)
        rules = Rules(loop.wire)
        before = session.history[:]
        for number, step in enumerate(loop.steps):
            last = number == len(links)
            turn = await self._turn(session, step, found, must_be_whole=not last)
            sent = native_history(loop.wire, json.loads(self._transport.asked))
            found.judged(step, rules.broken(step, sent))
            if sent[: len(before)] != before:
                found.findings.append(_finding(step, "the history so far", "as it was sent before", "changed"))
            if number:
                _compare(loop, links[number - 1], sent[len(before) :], found)
            if last or turn is None:
                break
            before = sent
            _go_on(loop, session, turn, links[number], found)
        await session.close()

    def _opened(self, loop: Loop) -> EditableSession:
        """A session at the beginning of the loop; what it is asked is carried as it was recorded.

        Which model it asks does not matter to what it sends back, and SDKs warn of old ones.
        """
        first = loop.steps[0]
        config = SessionConfig(
            MODELS[loop.wire], [("user", "-")], first.asked.tools, _ADDRESS, stream=first.responses[0].streamed
        )
        session = self._sessions.open_session(loop.wire, config)
        session.history[:] = native_history(loop.wire, first.asked.body)
        return session

    async def _turn(
        self, session: EditableSession, step: Step, found: _Found, *, must_be_whole: bool
    ) -> ProviderTurn | None:
        """The session's reading of a recorded response; what comes of the last one does not matter here."""
        if step.responses:
            self._transport.answer(step.responses[0])
        try:
            return await session.stream_turn(_nobody)
        except Exception as failed:  # noqa: BLE001 - whatever leaves the adapter is a finding
            if must_be_whole:
                found.findings.append(_finding(step, "the response", "a turn", f"{type(failed).__name__}: {failed}"))
            return None


def _compare(loop: Loop, link: Link, added: Sequence[Any], found: _Found) -> None:
    """What was ``added`` to the history before, in the place of what the recorded loop added."""
    asked = _read(link.step, {**link.step.asked.body, HISTORY[loop.wire]: list(added)})
    for each in compared(loop.wire, link, Continuation.of(history(asked), named=False)):
        if isinstance(each, str):
            found.differences[each] = None
        else:
            found.findings.append(_finding(link.step, *each))


def _go_on(loop: Loop, session: EditableSession, turn: ProviderTurn, link: Link, found: _Found) -> None:
    """Append what the recorded loop went on with: the turn, the recorded results of its calls, what the user said."""
    if [call.name for call in turn.tool_calls] != [call.name for call in link.told.calls]:
        expected = ", ".join(call.name for call in link.told.calls) or "none"
        got = ", ".join(call.name for call in turn.tool_calls) or "none"
        found.findings.append(_finding(link.step, "the calls of the turn before", expected, got))
    executed = [
        Executed(call, *given(loop.wire, result)) for call, result in zip(turn.tool_calls, link.results, strict=False)
    ]
    if executed and link.sent.extra:
        last = executed.pop()
        executed.append(Executed(last.call, last.result, last.ok, link.sent.extra))
    session.append_tool_results(turn, executed)
    session.history += wire(loop.wire).entries(link.sent.said)


def _read(step: Step, body: dict[str, Any]) -> Conversation:
    route = Route(step.asked.wire, step.asked.model, step.asked.stream)
    return wire(step.asked.wire).read(route, json.dumps(body).encode())


def _finding(step: Step, what: str, expected: str, got: str) -> Finding:
    return Finding(step.exchange.name, what, expected, got)


async def _nobody(delta: Delta) -> None:
    """Nobody listens."""
