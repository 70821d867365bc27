"""Sends recorded responses through the reference adapters, and compares their next requests with the recording."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from harness.cassette.recordings.recording import native_history
from harness.cassette.replay_transport import ReplayTransport
from harness.imports.comparison import Reason, RecordedComparison, RecordedDifference, compare
from harness.imports.continuation import Continuation, history
from harness.imports.continued import Continued, tool_output
from harness.imports.judging import Rules
from harness.imports.links import Link, NotReplayable, links_of
from harness.imports.loops import LoopStep, RecordedLoop
from harness.imports.obstacles import OBSTACLES
from harness.imports.reasons import DIFFERENCES
from harness.loop import CallResult, EditableSession, ProviderTurn, SessionConfig
from harness.loop.session import Delta
from harness.targets.clients import Clients
from harness.targets.sessions import Sessions
from harness.wire import Conversation, Route, wire
from harness.wire import wire as wire_named

_ADDRESS: Final = "http://recorded"


class Replayer:
    """Replays loops, one after the other; the SDK clients are made once. Close it after use.

    ``sessions`` opens the sessions over its transport. Tests open other adapters than the reference ones, to show that
    broken ones are found.
    """

    def __init__(self, transport: ReplayTransport | None = None, sessions: Sessions | None = None) -> None:
        self._transport = transport or ReplayTransport()
        self._sessions = sessions or Clients(self._transport)

    async def replay(self, loop: RecordedLoop) -> RecordedComparison[RecordedLoop]:
        """Compare ours with a loop. Whatever the adapters raise is a difference."""
        try:
            steps = await self._play(loop, links_of(loop))
        except NotReplayable as why:
            obstacle: Reason[RecordedLoop] = Reason(OBSTACLES[why.obstacle], name=why.obstacle)
            return RecordedComparison(loop, obstacle=obstacle, at=why.at)
        return _whole_comparison(loop, steps)

    async def close(self) -> None:
        """Close the clients."""
        await self._sessions.close()

    async def _play(self, loop: RecordedLoop, links: Sequence[Link]) -> list[RecordedComparison[Continued]]:
        """Each step compared with ours, up to one at which ours has no turn."""
        session = self._session_at_start(loop)
        rules = Rules(loop.wire)
        before = session.history[:]
        compared: list[RecordedComparison[Continued]] = []
        found: list[RecordedDifference] = []
        for number, step in enumerate(loop.steps):
            last = number == len(links)
            turn, failure = await self._turn(session, step)
            found += [RecordedDifference("the response", "a turn", failure)] * bool(failure and not last)
            sent = native_history(loop.wire, json.loads(self._transport.asked))
            found += [
                RecordedDifference(f"rule {each.id}", each.expected, each.got) for each in rules.broken(step, sent)
            ]
            if sent[: len(before)] != before:
                found.append(RecordedDifference("the history so far", "as it was sent before", "changed"))
            continued = _continued_step(loop, step, links[number - 1] if number else None, sent[len(before) :])
            compared.append(_step_comparison(continued, [*found, *continued.differences()]))
            if last or turn is None:
                break
            before = sent
            found = _other_calls(turn, links[number])
            _go_on(loop, session, turn, links[number])
        await session.close()
        return compared

    def _session_at_start(self, loop: RecordedLoop) -> EditableSession:
        """A session at the beginning of the loop, which carries the recorded prompt.

        The name of the model does not matter for what it sends back, and SDKs warn of old models.
        """
        first = loop.steps[0]
        config = SessionConfig(
            wire_named(loop.wire).default_model,
            [("user", "-")],
            first.asked.tools,
            _ADDRESS,
            stream=first.responses[0].streamed,
        )
        session = self._sessions.open_session(loop.wire, config)
        session.history[:] = native_history(loop.wire, first.asked.body)
        return session

    async def _turn(self, session: EditableSession, step: LoopStep) -> tuple[ProviderTurn | None, str]:
        """The session's reading of a recorded response, or the exception that it raised."""
        if step.responses:
            self._transport.answer(step.responses[0])
        try:
            return await session.stream_turn(_nobody), ""
        except Exception as failed:  # noqa: BLE001 - whatever leaves the adapter is a difference
            return None, f"{type(failed).__name__}: {failed}"


def _continued_step(loop: RecordedLoop, step: LoopStep, link: Link | None, added: Sequence[Any]) -> Continued:
    """A step with what ours ``added`` to the history, instead of what the recorded loop added."""
    if link is None:
        return Continued(loop.wire, step)
    asked = _read(step, {**step.asked.body, wire(loop.wire).history: list(added)})
    return Continued(loop.wire, step, link, Continuation.of(history(asked), named=False))


def _step_comparison(continued: Continued, found: Sequence[RecordedDifference]) -> RecordedComparison[Continued]:
    at = continued.step.exchange.name
    differences = [replace(each, at=at) for each in found]
    return compare(continued, differences, DIFFERENCES, shared=False, needed=False)


def _whole_comparison(
    loop: RecordedLoop, steps: Sequence[RecordedComparison[Continued]]
) -> RecordedComparison[RecordedLoop]:
    """The comparisons of a loop's steps as one."""
    explained: dict[str, tuple[Reason[RecordedLoop], list[RecordedDifference]]] = {}
    for reason, differences in (each for step in steps for each in step.explained):
        explained.setdefault(reason.name, (Reason(reason.why, name=reason.name), []))[1].extend(differences)
    return RecordedComparison(
        loop,
        tuple(difference for step in steps for difference in step.differences),
        tuple((reason, tuple(differences)) for reason, differences in explained.values()),
    )


def _other_calls(turn: ProviderTurn, link: Link) -> list[RecordedDifference]:
    """The difference if ours has read other calls than those that the recorded loop continued."""
    expected, got = ([call.name for call in calls] for calls in (link.turn.calls, turn.tool_calls))
    if expected == got:
        return []
    names = (", ".join(each) or "none" for each in (expected, got))
    return [RecordedDifference("the calls of the turn before", *names)]


def _go_on(loop: RecordedLoop, session: EditableSession, turn: ProviderTurn, link: Link) -> None:
    """Append what the recorded loop continued with: the turn, the recorded results of its calls, the user's words."""
    call_results = [
        CallResult(call, *tool_output(loop.wire, result))
        for call, result in zip(turn.tool_calls, link.results, strict=False)
    ]
    if call_results and link.sent.extra:
        last = call_results.pop()
        call_results.append(CallResult(last.call, last.result, last.ok, link.sent.extra))
    session.append_tool_results(turn, call_results)
    session.history += wire(loop.wire).entries(link.sent.messages)


def _read(step: LoopStep, body: dict[str, Any]) -> Conversation:
    route = Route(step.asked.wire, step.asked.model, step.asked.stream)
    return wire(step.asked.wire).read(route, json.dumps(body).encode())


async def _nobody(delta: Delta) -> None:
    """Nobody listens."""
