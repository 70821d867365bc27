"""Breakages of calls that wait for approval between two runs of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.loop import AgentConversation, AgentResult, Approved, CallResult, Denied
from harness.loop.deferral import Resolution


class TakesAMessageForApproval(AgentConversation):
    """Runs the calls that wait when the user says anything."""

    async def run(self, *messages: str) -> AgentResult:
        """Run, with the calls that wait."""
        for text in messages if self.deferred else ():
            self.say(text)
        if self.deferred:
            return await self.resolve({each.call.id: Approved() for each in self.deferred})
        return await super().run(*messages)


class _DecidesOtherwise(AgentConversation):
    """Goes on with other decisions than the user's."""

    async def resolve(self, resolved: Mapping[str, Resolution]) -> AgentResult:
        """Go on, with what ``decided`` makes of the decisions."""
        return await super().resolve(self.decided(resolved))

    def decided(self, resolved: Mapping[str, Resolution]) -> Mapping[str, Resolution]:
        """The user's decisions."""
        return resolved


class RunsWhatWasDenied(_DecidesOtherwise):
    """Runs calls whatever the user has decided."""

    def decided(self, resolved: Mapping[str, Resolution]) -> Mapping[str, Resolution]:
        """All are approved."""
        return {id: Approved() for id in resolved}


class ApprovesAll(_DecidesOtherwise):
    """Takes a decision about one call for the approval of the others."""

    def decided(self, resolved: Mapping[str, Resolution]) -> Mapping[str, Resolution]:
        """Those that wait on are approved."""
        return {each.call.id: resolved.get(each.call.id, Approved()) for each in self.deferred}


class ForgetsTheDecision(_DecidesOtherwise):
    """Denies what the user has approved."""

    def decided(self, resolved: Mapping[str, Resolution]) -> Mapping[str, Resolution]:
        """All are denied."""
        return {id: Denied() for id in resolved}


class LeavesWaitingCallsOpen(AgentConversation):
    """Goes on with another message behind calls that wait, without results for them."""

    async def run(self, *messages: str) -> AgentResult:
        """Run, with the turn that waits in the history as it is."""
        if self._waiting is not None:
            self._session.append_tool_results(self._waiting.turn, self._waiting.results)
            self._waiting = None
        return await super().run(*messages)


class ForgetsWaitingCalls(AgentConversation):
    """Stores nothing of a turn with calls that wait."""

    @property
    def state(self) -> Mapping[str, Any]:
        """The history without that turn."""
        return {**super().state, "waiting": None}


class LosesTheOtherResults(AgentConversation):
    """Stores calls that wait, and of the calls beside them that they have failed."""

    @property
    def state(self) -> Mapping[str, Any]:
        """The state with other results."""
        waiting = self._waiting
        if waiting is not None:
            lost = tuple(CallResult(each.call, {"error": "lost"}, ok=False) for each in waiting.results)
            self._waiting = type(waiting)(waiting.turn, lost, waiting.deferred)
        return super().state
