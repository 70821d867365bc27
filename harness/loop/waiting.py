"""Calls that wait for approval, or for a result from elsewhere, between two runs of a conversation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from harness.loop.deferral import DeferredCall
from harness.loop.session import CallResult, EditableSession, ProviderTurn, ToolCall
from harness.loop.tools.tool import failed

LEFT: Final = "Not run: the user went on without it."
"""The result of a call that waits when the user says something else."""


def not_run(call: ToolCall, reason: str) -> CallResult:
    """The result for the model of a call that was not run."""
    return CallResult(call, failed(reason, reason).result, ok=False)


@dataclass(frozen=True, slots=True)
class WaitingCalls:
    """A turn that is not in the history yet: the calls that wait, and the ``results`` of its other calls."""

    turn: ProviderTurn
    results: tuple[CallResult, ...]
    deferred: tuple[DeferredCall, ...]

    def stored(self, session: EditableSession) -> dict[str, Any]:
        """The state for another process, as JSON.

        ``left`` are the messages of the turn and its answers if the conversation goes on without these calls. The
        metadata of results is not stored.
        """
        missing = tuple(not_run(each.call, LEFT) for each in self.deferred)
        by_id = {each.call.id: each for each in (*self.results, *missing)}
        answers = [by_id[call.id] for call in self.turn.tool_calls]
        return {
            "turn": session.stored_turn(self.turn),
            "results": [[each.call.id, each.result, each.ok, each.extra] for each in self.results],
            "deferred": [[each.call.id, each.kind] for each in self.deferred],
            "left": [*session.turn_messages(self.turn), *session.result_messages(self.turn, answers)],
        }

    @classmethod
    def restored(cls, session: EditableSession, stored: Mapping[str, Any]) -> Self:
        """Read what an earlier session of the same wire has stored."""
        turn = session.restored_turn(stored["turn"])
        calls = {call.id: call for call in turn.tool_calls}
        return cls(
            turn,
            tuple(CallResult(calls[id], result, ok, extra) for id, result, ok, extra in stored["results"]),
            tuple(DeferredCall(calls[id], kind) for id, kind in stored["deferred"]),
        )
