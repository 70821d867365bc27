"""The scenarios of the profile ``tool-runner`` can fail: each of these mistakes in a runner is caught by one."""

from __future__ import annotations

from typing import Any

import pytest

from harness.endpoint import Endpoints
from harness.endpoint.transport import EndpointTransport
from harness.loop import ProviderTurn, Runner
from harness.loop.runner import Message
from harness.runner.execute import execute
from harness.runner.plan import plan
from harness.scenario import load, shipped
from harness.targets.clients import Clients
from harness.targets.reference import ReferenceTarget, Seams
from tests.loop.test_runner_machine import (
    _AlwaysAppends,
    _AnswersOnlyWhatItAppended,
    _AppendsTheResultsAtTheEnd,
    _EndsThoughChanged,
    _ForgetsThePush,
)

pytestmark = pytest.mark.anyio

SCENARIOS = shipped() / "tool_runner"


class _RunsWhatWasLeftOut(Runner):
    async def _go_on(self, current: Any) -> None:
        await self.generate_tool_response()
        await super()._go_on(current)


class _RunsTheLastTurn(Runner):
    def _ending(self, current: Any) -> Any:
        return None if (outcome := super()._ending(current)) == "turn-limit" else outcome


class _TakesParametersForNoChange(Runner):
    def set_params(self, *, messages: Any = None, **fields: Any) -> None:
        if messages is not None:
            super().set_params(messages=messages)
        self._session.set_params(**fields)


class _OnlyEverAppends(Runner):
    def set_params(self, *, messages: Any = None, **fields: Any) -> None:
        self.push_messages(*(messages or ()))


class _SendsItsOwnResults(Runner):
    async def _go_on(self, current: Any) -> None:
        if current.response:
            current.response = type(current.response)(
                self._session.result_messages(current.turn, current.calls.call_results)
            )
        await super()._go_on(current)


class _FindsTheTurnOnlyWhereItWasPushed(Runner):
    def _put(self, start: int, messages: Any) -> None:
        super()._put(start, messages)
        if self._current and start == 0:
            self._current.end = None


class _TakesAnEarlierTurnForThisOne(Runner):
    def _put(self, start: int, messages: Any) -> None:
        if self._current:
            self._current.before = []
        super()._put(start, messages)


class _MakesEveryMessageTheUsers(Runner):
    def _native(self, message: Message) -> list[Any]:
        return super()._native(("user", message[1]) if isinstance(message, tuple) else message)


class _SendsTheTurnAsItCame(Runner):
    def _native(self, message: Message) -> list[Any]:
        came = self._current.turn if self._current and isinstance(message, ProviderTurn) else message
        return super()._native(came)


async def verdict(scenario: str, wire: Any, runner: type[Runner]) -> str:
    endpoints = Endpoints()
    target = ReferenceTarget(Clients(EndpointTransport(endpoints)), seams=Seams(runner=runner))
    cases = plan(load([SCENARIOS / f"{scenario}.yaml"]), target=target, wires=[wire])
    try:
        (finished,) = await execute(cases, target, endpoints, "http://harness", deadline=20)
    finally:
        await target.close()
    return finished.result.verdict


@pytest.mark.parametrize(
    ("scenario", "wire", "broken"),
    [
        ("turn-edited", "gemini-generate", _SendsTheTurnAsItCame),
        ("note-alone", "openai-chat", _AlwaysAppends),
        ("turn-pushed-alone", "anthropic-messages", _AnswersOnlyWhatItAppended),
        ("turn-and-response-pushed", "openai-responses", _ForgetsThePush),
        ("turn-and-note-pushed", "gemini-generate", _AppendsTheResultsAtTheEnd),
        ("note-behind-the-answer", "openai-chat", _EndsThoughChanged),
        ("words-in-place-of-the-turn", "openai-responses", _RunsWhatWasLeftOut),
        ("limit-of-one", "anthropic-messages", _RunsTheLastTurn),
        ("instructions-set-on-responses", "openai-responses", _TakesParametersForNoChange),
        ("same-request-again", "openai-chat", _OnlyEverAppends),
        ("response-edited", "gemini-generate", _SendsItsOwnResults),
        ("turn-under-another-question", "openai-chat", _FindsTheTurnOnlyWhereItWasPushed),
        ("same-call-made-again", "text-tags", _TakesAnEarlierTurnForThisOne),
        ("words-in-place-of-the-turn", "anthropic-messages", _MakesEveryMessageTheUsers),
    ],
)
async def test_a_broken_runner_fails_the_scenario(scenario: str, wire: str, broken: type[Runner]) -> None:
    assert await verdict(scenario, wire, Runner) == "pass"
    assert await verdict(scenario, wire, broken) == "fail"
