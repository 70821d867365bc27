"""Breakages of a conversation of several runs: what becomes of a run that is cancelled, and of what is said then."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from harness.loop import AgentConversation, AgentResult, CallResult, EditableSession, ProviderTurn
from harness.loop.engine import Engine
from harness.trace import Event, Thinking
from harness_lab.mutants.declared import breaks, seen_in
from harness_lab.mutants.sessions import PassingSession

# --- a run is cancelled -------------------------------------------------------------------------------------


@breaks("conversation", "cancelled-calls-left-open", "continuation/", "history/results")
@seen_in("cancelled-while-a-tool-runs", "cancelled-at-the-first-of-three-calls", "cancelled-twice")
class LeavesCallsOpen(AgentConversation):
    """Sends the turn whose calls were cancelled without their results."""

    async def _make_whole(self, engine: Engine, *, cancelled: bool) -> None:
        if engine.answering is not None and cancelled:
            await self._driver.drive(engine.answering.skip("Cancelled."))
            self._session.history += self._session.turn_messages(engine.answering.turn)
        else:
            await super()._make_whole(engine, cancelled=cancelled)


# unseen_on: whose results name no call
@breaks("conversation", "cancelled-taken-for-done", "caller/cancelled-result", unseen_on="text-tags")
@seen_in("cancelled-while-a-tool-runs", "cancelled-after-thinking-and-a-call", "resumed-after-a-cancelled-run")
class TakesCancelledForDone(AgentConversation):
    """Answers the calls that were cancelled as if they had been done."""

    async def _make_whole(self, engine: Engine, *, cancelled: bool) -> None:
        calls = engine.answering
        if calls is None or not cancelled:
            await super()._make_whole(engine, cancelled=cancelled)
            return
        known = {each.call.id: each for each in calls.call_results}
        done = [known.get(call.id) or CallResult(call, "done", ok=True) for call in calls.turn.tool_calls]
        self._session.append_tool_results(calls.turn, done)
        await self._driver.drive(calls.skip("done"))


@breaks(
    "conversation", "ended-results-forgotten", "caller/ended-result", "history/result-value", "history/result-error"
)
@seen_in("cancelled-while-a-tool-runs", "cancelled-when-a-call-has-ended", "cancelled-at-the-last-of-three-calls")
class ForgetsWhatHasEnded(AgentConversation):
    """Answers every call of a cancelled turn as cancelled, those that had ended too."""

    async def _make_whole(self, engine: Engine, *, cancelled: bool) -> None:
        calls = engine.answering
        if calls is None or not cancelled:
            await super()._make_whole(engine, cancelled=cancelled)
            return
        await self._driver.drive(calls.skip("Cancelled."))
        results = [CallResult(call, {"error": "Cancelled."}, ok=False) for call in calls.turn.tool_calls]
        self._session.append_tool_results(calls.turn, results)


@breaks("conversation", "cancelled-turn-lost", "history/model-calls", "history/model-text", "caller/ended-result")
@seen_in("cancelled-while-a-tool-runs", "cancelled-when-a-call-has-ended")
class LosesTheCancelledTurn(AgentConversation):
    """Leaves a cancelled turn out of the history, though one of its tools has run."""

    async def _make_whole(self, engine: Engine, *, cancelled: bool) -> None:
        if engine.answering is not None and cancelled:
            await self._driver.drive(engine.answering.skip("Cancelled."))
        else:
            await super()._make_whole(engine, cancelled=cancelled)


@breaks("conversation", "cancelled-run-lost", "history/append-only", "caller/message-sent")
@seen_in("cancelled-while-a-tool-runs", "cancelled-in-the-second-turn", "cancelled-when-the-second-question-runs")
class LosesTheCancelledRun(AgentConversation):
    """Takes back all of a cancelled run, the question and the turns before the last too."""

    async def run(self, *messages: str) -> AgentResult:
        """Run, and put the history back where the caller cancels."""
        before = list(self._session.history)
        try:
            return await super().run(*messages)
        except asyncio.CancelledError:
            self._session.history[:] = before if messages else []
            raise


@breaks("conversation", "runs-what-is-left", "caller/cancelled")
@seen_in("cancelled-when-a-call-has-ended")
class RunsWhatIsLeft(AgentConversation):
    """Runs the calls that are left of a cancelled turn."""

    async def _make_whole(self, engine: Engine, *, cancelled: bool) -> None:
        if engine.answering is not None and cancelled:
            await self._driver.drive(engine.answering.run_all())
        await super()._make_whole(engine, cancelled=cancelled)


@breaks("conversation", "goes-on-after-a-cancel", "caller/cancelled")
@seen_in("cancelled-after-thinking-and-a-call")
class GoesOnAfterACancel(AgentConversation):
    """Answers the cancelled calls, and asks the model how to go on."""

    async def run(self, *messages: str) -> AgentResult:
        """Run, and once more where the caller cancels."""
        try:
            return await super().run(*messages)
        except asyncio.CancelledError:
            return await super().run()


@breaks("conversation", "shown-text-lost", "caller/shown")
@seen_in("cancelled-while-text-arrives", "cancelled-after-thinking-in-the-text", "cancelled-while-arguments-arrive")
class LosesWhatWasShown(AgentConversation):
    """Leaves out what the user has seen of an answer that was cancelled."""

    async def _make_whole(self, engine: Engine, *, cancelled: bool) -> None:
        self._shown.clear()
        await super()._make_whole(engine, cancelled=cancelled)


@breaks("conversation", "shown-text-rewritten", "caller/shown")
@seen_in("cancelled-while-text-arrives", "resumed-after-a-cancelled-answer")
class RewritesWhatWasShown(AgentConversation):
    """Puts words of its own in place of an answer that was cancelled."""

    async def _make_whole(self, engine: Engine, *, cancelled: bool) -> None:
        self._shown[:] = ["I was interrupted before I could say anything."]
        await super()._make_whole(engine, cancelled=cancelled)


@breaks("conversation", "broken-thinking-as-text", "caller/thought")
@seen_in("cancelled-while-it-thinks")
class KeepsTheThinkingAsText(AgentConversation):
    """Keeps what was thought before a cancel as if it had been said."""

    async def _send_message(self, event: Event) -> None:
        await super()._send_message(event)
        if isinstance(event, Thinking):
            self._shown.append(event.text)


# --- the user says something --------------------------------------------------------------------------------


@breaks("conversation", "said-and-forgotten", "caller/message-sent")
@seen_in("said-while-a-tool-runs", "said-while-the-answer-arrives", "said-before-the-first-byte")
class ForgetsMessages(AgentConversation):
    """Takes no notice of what the user says while it works."""

    def say(self, text: str) -> None:
        """Do nothing."""


@breaks("conversation", "said-in-other-words", "caller/message-sent", "caller/message-last")
@seen_in("said-while-a-tool-runs", "said-what-the-prompt-says")
class SaysThatThereIsAMessage(AgentConversation):
    """Sends a note in place of what the user says."""

    def say(self, text: str) -> None:  # noqa: ARG002
        """Say that there was something."""
        super().say("(The user has sent a message.)")


@breaks("conversation", "said-twice", "caller/message-sent")
@seen_in("said-while-a-tool-runs", "said-in-the-second-turn")
class SaysItTwice(AgentConversation):
    """Sends what the user says twice."""

    def say(self, text: str) -> None:
        """Say it twice."""
        super().say(text)
        super().say(text)


@breaks("conversation", "said-at-once", "caller/message-last")
@seen_in("said-while-a-tool-runs", "said-at-the-second-of-two-calls", "said-while-arguments-arrive")
class SaysItAtOnce(AgentConversation):
    """Puts what the user says in front of the turn whose tools run."""

    def say(self, text: str) -> None:
        """Append it."""
        self._session.append_user(text)


@breaks("conversation", "said-and-lost-with-the-run", "caller/message-sent")
@seen_in("said-and-then-cancelled")
class LosesWhatWaits(AgentConversation):
    """Forgets what was said, and not yet sent, when the run is cancelled."""

    async def _make_whole(self, engine: Engine, *, cancelled: bool) -> None:
        self._pending.clear()
        await super()._make_whole(engine, cancelled=cancelled)


class _SaysItOtherwise(AgentConversation):
    """Appends what the user says meanwhile in another way."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self.meanwhile: set[str] = set()
        self._session = _ListeningSession(self._session, self)
        self._driver = replace(self._driver, session=self._session)

    def say(self, text: str) -> None:
        """Say it, and know that it was said meanwhile."""
        self.meanwhile.add(text)
        super().say(text)

    def append_message(self, session: EditableSession, text: str) -> None:
        """Append what was said meanwhile."""
        session.append_user(text)

    def before_results(self) -> list[str]:
        """What is put between a turn and its results."""
        return []

    def behind_results(self) -> list[str]:
        """What is put behind the results of a turn."""
        return []


class _ListeningSession(PassingSession):
    """A session that lets the conversation append what was said meanwhile."""

    def __init__(self, inner: EditableSession, conversation: _SaysItOtherwise) -> None:
        super().__init__(inner)
        self._conversation = conversation

    def append_user(self, text: str) -> None:
        """Append a message of the user, or have it appended."""
        if text in self._conversation.meanwhile:
            self._conversation.append_message(self._inner, text)
        else:
            self._inner.append_user(text)

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Any]:
        """Return the results with what is to be before and behind them."""
        before, behind = ([self.message("user", text) for text in texts] for texts in self._around(call_results))
        return [*before, *self._inner.result_messages(turn, call_results), *behind]

    def _around(self, call_results: Sequence[CallResult]) -> tuple[list[str], list[str]]:
        if not call_results:
            return [], []
        return self._conversation.before_results(), self._conversation.behind_results()


@breaks("conversation", "said-as-the-model", "caller/message-role")
@seen_in("said-while-a-tool-runs", "said-when-the-last-call-has-ended")
class SaysItAsTheModel(_SaysItOtherwise):
    """Sends what the user says as words of the model."""

    def append_message(self, session: EditableSession, text: str) -> None:
        """Append it as the model's."""
        session.history.append(session.message("assistant", text))


@breaks("conversation", "said-as-a-developer", "caller/message-role")
@seen_in("said-while-a-tool-runs", "said-in-the-second-turn")
class SaysItAsADeveloper(_SaysItOtherwise):
    """Sends what the user says as an instruction."""

    def append_message(self, session: EditableSession, text: str) -> None:
        """Append it as a system message, or make it the prompt where entries have no role."""
        message = session.message("user", text)
        if "role" in message:
            session.history.append({**message, "role": "system"})
        else:
            session.set_params(system_instruction=text)


@breaks("conversation", "said-in-every-request", "caller/message-sent")
@seen_in("said-while-arguments-arrive", "said-twice-while-tools-run")
class SaysInEveryRequest(_SaysItOtherwise):
    """Sends what the user says once more with the results of every turn that follows."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._sent: list[str] = []

    def append_message(self, session: EditableSession, text: str) -> None:
        """Append it, and remember it."""
        session.append_user(text)
        self._sent.append(text)

    def behind_results(self) -> list[str]:
        """All that was sent before."""
        return self._sent


@breaks("conversation", "said-before-the-results", "caller/message-last", "continuation/")
@seen_in("said-while-a-tool-runs", "said-at-the-first-of-two-calls", "said-while-a-failing-call-runs")
class SaysItBeforeTheResults(_SaysItOtherwise):
    """Puts what the user says between calls and results."""

    def before_results(self) -> list[str]:
        """All that waits to be sent."""
        waiting = list(self._pending)
        self._pending.clear()
        return waiting


# --- another run --------------------------------------------------------------------------------------------


@breaks("conversation", "last-answer-lost", "history/model-text")
@seen_in("another-question-after-the-answer", "four-questions-in-one-conversation", "resumed-from-what-was-stored")
class KeepsNoLastTurn(AgentConversation):
    """Goes on without the answer that ended the run before."""

    def _keep_last(self, result: AgentResult) -> None:
        """Keep nothing."""
