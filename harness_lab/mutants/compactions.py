"""Breakages of a conversation whose history is compacted."""

from __future__ import annotations

from typing import Any

from harness.loop import AgentConversation


class _Compacts(AgentConversation):
    """Makes of the history something else than its summary."""

    async def compact(self) -> None:
        before = list(self._session.history)
        await super().compact()
        summary = self._session.history[-1]
        self._session.history[:] = self.kept(before, summary)

    def kept(self, before: list[Any], summary: Any) -> list[Any]:
        """The history that is left of the one ``before``."""
        return [*self._system_of(before), summary]

    def _system_of(self, before: list[Any]) -> list[Any]:
        return [entry for entry in self._session.history[:-1] if entry in before]

    def _results_at(self, before: list[Any]) -> int:
        """Where the last results are: what follows the last turn with calls."""
        texts = [str(entry) for entry in before]
        found = (at for at, text in enumerate(texts) if any(mark in text for mark in _RESULTS))
        return max(found, default=len(texts) - 1)


_RESULTS = (
    "function_call_output",
    "'role': 'tool'",
    "tool_result",
    "functionResponse",
    "toolResult",
    "function_result",
)
"""What only results have, in the forms of the wires."""


class CutsAPair(_Compacts):
    """Keeps the last entries as they are, from the results on, whose calls are in the summary."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:
        """The summary, and what stands from the last results on."""
        return [*super().kept(before, summary), *before[self._results_at(before) :]]


class KeepsCallsAlone(_Compacts):
    """Keeps the last turn with calls, and its results are in the summary."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:
        """The summary, and the entry in front of the last results."""
        at = self._results_at(before)
        return [*super().kept(before, summary), before[at - 1]]


class PutsTheSummaryIntoAPair(_Compacts):
    """Puts the summary in front of the last results."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:
        """The history as it was, with the summary between calls and results."""
        at = self._results_at(before)
        return [*before[:at], summary, *before[at:]]


class KeepsEverything(_Compacts):
    """Adds the summary to the history."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:
        """The whole history, and the summary."""
        return [*before, summary]


class ForgetsTheSystemPrompt(_Compacts):
    """Leaves the summary alone, where the system prompt is in the history."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:  # noqa: ARG002 - the signature of the others
        """The summary."""
        return [summary]


class ForgetsTheQuestion(AgentConversation):
    """Compacts when the user has said something, and with it what that was."""

    async def compact(self) -> None:
        """Compact, and remember to forget the next question."""
        await super().compact()
        self._forgets = True

    async def run(self, *messages: str) -> Any:
        """Drive the loop without what the user says after a compaction."""
        forgets, self._forgets = getattr(self, "_forgets", False) or self._is_compacted(), False
        return await super().run(*([] if forgets else messages))

    def _is_compacted(self) -> bool:
        return any("Summary of the conversation" in str(entry) for entry in self._session.history)


class SaysTheQuestionTwice(AgentConversation):
    """Says in the summary, and once more behind it, what the user says next."""

    async def run(self, *messages: str) -> Any:
        """Drive the loop; after a compaction the user's message is there twice."""
        compacted = any("Summary of the conversation" in str(entry) for entry in self._session.history)
        return await super().run(*messages, *(messages if compacted else ()))
