"""Breakages of calls that wait for approval between two runs of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.loop import AgentConversation, AgentResult, Approved, CallResult, Denied
from harness.loop.deferral import Resolution
from harness_lab.mutants.declared import breaks, seen_in


@breaks("conversation", "message-taken-for-approval", "caller/approved", "expect/not_ran")
@seen_in("another-question-while-a-call-waits", "another-question-after-a-restart-while-a-call-waits")
class TakesAMessageForApproval(AgentConversation):
    """Runs the calls that wait for approval when the user says anything."""

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


@breaks("conversation", "denied-call-run", "caller/approved", "expect/not_ran")
@seen_in("denied-in-a-later-run")
class RunsWhatWasDenied(_DecidesOtherwise):
    """Runs a call that the user has denied."""

    def decided(self, resolved: Mapping[str, Resolution]) -> Mapping[str, Resolution]:
        """All are approved."""
        return {id: Approved() for id in resolved}


@breaks("conversation", "one-decision-for-all", "caller/approved")
@seen_in("approved-one-after-the-other")
class ApprovesAll(_DecidesOtherwise):
    """Takes a decision about one call for the approval of the others."""

    def decided(self, resolved: Mapping[str, Resolution]) -> Mapping[str, Resolution]:
        """Those that wait on are approved."""
        return {each.call.id: resolved.get(each.call.id, Approved()) for each in self.deferred}


@breaks("conversation", "approval-forgotten", "expect/sent")
@seen_in("approved-in-a-later-run", "approved-after-a-restart")
class ForgetsTheDecision(_DecidesOtherwise):
    """Answers a call that was approved as one that was denied."""

    def decided(self, resolved: Mapping[str, Resolution]) -> Mapping[str, Resolution]:
        """All are denied."""
        return {id: Denied() for id in resolved}


@breaks("conversation", "waiting-calls-left-open", "continuation/", "history/results")
@seen_in("another-question-while-a-call-waits", "another-question-after-a-restart-while-a-call-waits")
class LeavesWaitingCallsOpen(AgentConversation):
    """Goes on with another message behind calls that wait, without results for them."""

    async def run(self, *messages: str) -> AgentResult:
        """Run, with the turn that waits in the history as it is."""
        if self._waiting is not None:
            self._session.append_tool_results(self._waiting.turn, self._waiting.results)
            self._waiting = None
        return await super().run(*messages)


@breaks("conversation", "waiting-calls-forgotten", "history/model-calls", "history/results")
@seen_in("another-question-while-a-call-waits", "another-question-after-a-restart-while-a-call-waits")
class ForgetsWaitingCalls(AgentConversation):
    """Stores nothing of a turn with calls that wait."""

    @property
    def state(self) -> Mapping[str, Any]:
        """The history without that turn."""
        return {**super().state, "waiting": None}


@breaks("conversation", "results-beside-waiting-calls-lost", "history/result-value", "history/result-error")
@seen_in("approved-in-a-later-run", "approved-after-a-restart")
class LosesTheOtherResults(AgentConversation):
    """Loses the results of the calls beside those that wait."""

    @property
    def state(self) -> Mapping[str, Any]:
        """The state with other results."""
        waiting = self._waiting
        if waiting is not None:
            lost = tuple(CallResult(each.call, {"error": "lost"}, ok=False) for each in waiting.results)
            self._waiting = type(waiting)(waiting.turn, lost, waiting.deferred)
        return super().state
