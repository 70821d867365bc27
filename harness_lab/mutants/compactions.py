"""Breakages of a conversation whose history is compacted."""

from __future__ import annotations

from typing import Any

from harness.loop import AgentConversation
from harness_lab.mutants.declared import breaks, seen_in
from harness_lab.mutants.needs import has_system_messages


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


# unseen_on: whose results name no call
@breaks("conversation", "pair-cut-in-compaction", "continuation/", unseen_on="text-tags")
@seen_in("compacted-after-two-runs", "compacted-after-parallel-calls", "compacted-and-resumed")
class CutsAPair(_Compacts):
    """Compacts the calls of a turn and keeps their results."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:
        """The summary, and what stands from the last results on."""
        return [*super().kept(before, summary), *before[self._results_at(before) :]]


@breaks("conversation", "calls-kept-in-compaction", "continuation/", unseen_on="text-tags")
@seen_in("compacted-after-two-runs", "compacted-after-parallel-calls")
class KeepsCallsAlone(_Compacts):
    """Compacts the results of a turn and keeps its calls."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:
        """The summary, and the entry in front of the last results."""
        at = self._results_at(before)
        return [*super().kept(before, summary), before[at - 1]]


@breaks("conversation", "summary-inside-a-pair", "continuation/", "caller/compacted", unseen_on="text-tags")
@seen_in("compacted-after-two-runs", "compacted-after-parallel-calls")
class PutsTheSummaryIntoAPair(_Compacts):
    """Puts the summary between the calls of a turn and their results."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:
        """The history as it was, with the summary between calls and results."""
        at = self._results_at(before)
        return [*before[:at], summary, *before[at:]]


@breaks("conversation", "nothing-compacted", "caller/compacted")
@seen_in("compacted-after-two-runs", "compacted-twice")
class KeepsEverything(_Compacts):
    """Adds the summary to the history and leaves nothing out."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:
        """The whole history, and the summary."""
        return [*before, summary]


@breaks(
    "conversation", "system-prompt-compacted", "caller/compacted-system", "offered/prompt", needs=has_system_messages
)
@seen_in("compacted-after-two-runs", "compacted-and-resumed")
class ForgetsTheSystemPrompt(_Compacts):
    """Compacts the system prompt with the rest."""

    def kept(self, before: list[Any], summary: Any) -> list[Any]:  # noqa: ARG002 - the signature of the others
        """The summary."""
        return [summary]


@breaks("conversation", "question-compacted", "caller/message-sent")
@seen_in("compacted-after-two-runs", "compacted-after-a-cancelled-run")
class ForgetsTheQuestion(AgentConversation):
    """Compacts the message with which the user goes on."""

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


@breaks("conversation", "question-twice-after-compaction", "caller/message-sent")
@seen_in("compacted-after-two-runs", "compacted-twice")
class SaysTheQuestionTwice(AgentConversation):
    """Sends what the user says after a compaction twice."""

    async def run(self, *messages: str) -> Any:
        """Drive the loop; after a compaction the user's message is there twice."""
        compacted = any("Summary of the conversation" in str(entry) for entry in self._session.history)
        return await super().run(*messages, *(messages if compacted else ()))
