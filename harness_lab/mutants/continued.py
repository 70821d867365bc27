"""Breakages of what a conversation stores and goes on with: in another run, another process, on another model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

from harness.loop import Agent, AgentConversation, AgentResult, EditableSession, ToolCall
from harness.trace import ToolResult, ToolStart
from harness.wire import Call, Message, Result, Route, Text, wire
from harness_lab.mutants.declared import breaks, seen_in
from harness_lab.mutants.edits import is_of_the_user
from harness_lab.mutants.needs import flags_failures

_State = dict[str, Any]


def stores(edit: Callable[[Any], Any]) -> type[AgentConversation]:
    """A conversation that stores its history as ``edit`` makes it of the body of a request."""

    class Stores(AgentConversation):
        @property
        def state(self) -> Mapping[str, Any]:
            own = super().state
            return {**own, "history": _edited(own, edit)}

    return Stores


def _edited(state: Mapping[str, Any], edit: Callable[[Any], Any]) -> list[Any]:
    member = wire(state["wire"]).history
    history: list[Any] = edit({member: state["history"]})[member]
    return history


class _GoesOnOtherwise(AgentConversation):
    """Goes on from a state that ``_found`` has changed."""

    @classmethod
    def begun(
        cls, agent: Agent, model: str, prompt: Sequence[tuple[str, str]], state: Mapping[str, Any] | None = None
    ) -> Self:
        """Begin, or go on from the changed state."""
        return super().begun(agent, model, prompt, None if state is None else cls._found(dict(state)))

    @classmethod
    def _found(cls, state: _State) -> _State:
        return state


@breaks("conversation", "begun-anew", "history/append-only", "caller/message-sent")
@seen_in("another-question-after-the-answer", "another-question-after-parallel-calls")
class BeginsAnew(AgentConversation):
    """Begins every run anew, with nothing that was said before."""

    @classmethod
    def begun(
        cls,
        agent: Agent,
        model: str,
        prompt: Sequence[tuple[str, str]],
        state: Mapping[str, Any] | None = None,  # noqa: ARG003
    ) -> Self:
        """Begin with the prompt."""
        return super().begun(agent, model, prompt)


@breaks("conversation", "system-prompt-forgotten", "history/append-only")
@seen_in("four-questions-in-one-conversation", "resumed-three-times")
class ForgetsTheSystemPrompt(_GoesOnOtherwise):
    """Goes on without the system prompt."""

    @classmethod
    def _found(cls, state: _State) -> _State:
        history = [entry for entry in state["history"] if entry.get("role") != "system"]
        return {**state, "system": [], "history": history}


@breaks("conversation", "tools-forgotten", "history/tools", unseen_on="text-tags")  # whose tools are in the prompt
@seen_in("another-question-after-the-answer", "resumed-after-parallel-calls")
class OffersNoTools(AgentConversation):
    """Goes on without tools."""

    @classmethod
    def begun(
        cls, agent: Agent, model: str, prompt: Sequence[tuple[str, str]], state: Mapping[str, Any] | None = None
    ) -> Self:
        """Begin as usual, and go on without tools."""
        begun = super().begun(agent, model, prompt, state)
        if state is not None:
            begun._session.set_params(tools=[])
        return begun


@breaks("conversation", "first-message-lost", "history/append-only")
@seen_in("resumed-from-what-was-stored", "resumed-after-parallel-calls", "resumed-after-a-cancelled-run")
class LosesTheFirstMessage(_GoesOnOtherwise):
    """Goes on without the question that the conversation began with."""

    @classmethod
    def _found(cls, state: _State) -> _State:
        history = list(state["history"])
        first = next((at for at, entry in enumerate(history) if is_of_the_user(entry)), None)
        return {**state, "history": [entry for at, entry in enumerate(history) if at != first]}


@breaks("conversation", "last-turns-lost", "history/append-only", "continuation/")
@seen_in("resumed-with-thinking-in-every-turn", "sixty-calls-then-another-question")
class LosesTheLastTurns(_GoesOnOtherwise):
    """Goes on with the beginning of the history alone."""

    @classmethod
    def _found(cls, state: _State) -> _State:
        return {**state, "history": state["history"][:2]}


@breaks("conversation", "calls-named-anew", "history/append-only", "continuation/", unseen_on="text-tags")
@seen_in("resumed-from-what-was-stored", "resumed-after-parallel-calls")
class NamesCallsAnew(_GoesOnOtherwise):
    """Goes on with ids of its own for the calls that were stored."""

    @classmethod
    def _found(cls, state: _State) -> _State:
        text = json.dumps(state["history"])
        for number, id in enumerate(state["call_ids"]):
            text = text.replace(json.dumps(id), json.dumps(f"call_{number:024}"))
        return {**state, "history": json.loads(text)}


_MARKS = (
    ('"is_error": true', '"is_error": false'),
    ('"status": "error"', '"status": "success"'),
    ('{"error": ', '{"output": '),
)
"""What marks a result as a failure, in the forms of the wires, and what does not."""


@breaks("conversation", "stored-failures-unmarked", "history/append-only", needs=flags_failures)
@seen_in("resumed-after-a-failed-call", "another-question-after-a-failed-call")
class MarksNoStoredFailure(_GoesOnOtherwise):
    """Goes on with results of which none is marked as a failure."""

    @classmethod
    def _found(cls, state: _State) -> _State:
        text = json.dumps(state["history"])
        for marked, unmarked in _MARKS:
            text = text.replace(marked, unmarked)
        return {**state, "history": json.loads(text)}


def _messages(state: _State) -> list[Message]:
    """What the history says in neutral words."""
    speaker = wire(state["wire"])
    body = {**speaker.settings, "model": state["model"], speaker.history: state["history"]}
    route = Route(state["wire"], state["model"], stream=False)
    return list(speaker.read(route, json.dumps(body).encode()).messages)


def _in_words(message: Message) -> Iterator[str]:
    for part in message.parts:
        if isinstance(part, Text):
            yield f"{message.role}: {part.text}"
        elif isinstance(part, Call):
            yield f"called {part.name} {part.arguments}"
        elif isinstance(part, Result):
            yield f"result: {part.output}"


def _as_texts(message: Message) -> Message:
    """The message with calls and results in words."""
    parts = (
        Text(f"Called {part.name} with {part.arguments}.")
        if isinstance(part, Call)
        else Text(f"The result was {part.output}.")
        if isinstance(part, Result)
        else part
        for part in message.parts
    )
    return replace(message, parts=tuple(parts))


@breaks("conversation", "written-as-a-text", "history/append-only", "caller/message-sent")
@seen_in("resumed-from-what-was-stored", "another-question-after-the-answer")
class WritesTheHistoryDown(_GoesOnOtherwise):
    """Goes on with a text that repeats all that was said."""

    @classmethod
    def _found(cls, state: _State) -> _State:
        lines = "\n".join(
            line for message in _messages(state) if message.role != "system" for line in _in_words(message)
        )
        return {**state, "history": wire(state["wire"]).entries([Message("user", (Text(lines),), "")])}


@breaks("conversation", "texts-alone-stored", "history/append-only")
@seen_in("resumed-from-what-was-stored", "resumed-after-a-failed-call")
class SummarisesTheHistory(_GoesOnOtherwise):
    """Goes on with the texts of the user and the model alone."""

    @classmethod
    def _found(cls, state: _State) -> _State:
        texts = [
            replace(each, parts=tuple(part for part in each.parts if isinstance(part, Text)))
            for each in _messages(state)
        ]
        return {**state, "history": wire(state["wire"]).entries([each for each in texts if each.parts])}


# unseen_on: whose calls have no ids
@breaks("conversation", "stored-calls-run-again", "caller/ran-again", unseen_on="text-tags")
@seen_in("resumed-from-what-was-stored", "resumed-after-a-failed-run", "another-question-after-parallel-calls")
class RunsStoredCallsAgain(AgentConversation):
    """Runs the calls of the history once more when it goes on."""

    _again: Sequence[ToolCall] = ()

    @classmethod
    def begun(
        cls, agent: Agent, model: str, prompt: Sequence[tuple[str, str]], state: Mapping[str, Any] | None = None
    ) -> Self:
        """Begin, and note the calls that are known."""
        begun = super().begun(agent, model, prompt, state)
        if state is not None:
            parts = [part for message in _messages(dict(state)) for part in message.parts if isinstance(part, Call)]
            begun._again = [ToolCall(part.id or "", part.name, part.arguments) for part in parts]
        return begun

    async def run(self, *messages: str) -> AgentResult:
        """Run the calls, and then as usual."""
        for call in self._again:
            await self._agent.send_message(ToolStart(call.id, call.name, json.loads(call.arguments)))
            outcome = await self._agent.tools.run(call)
            await self._agent.send_message(ToolResult(call.id, call.name, outcome.summary, outcome.ok))
        return await super().run(*messages)


# --- another model ------------------------------------------------------------------------------------------


@breaks("conversation", "foreign-thinking-kept", "caller/switched-thinking")
@seen_in("switched-provider-on-openai-responses")
class KeepsForeignThinking(AgentConversation):
    """Sends another maker's model what the one before has thought and signed."""

    @staticmethod
    def _switch(session: EditableSession, state: Mapping[str, Any]) -> None:
        if state["wire"] == session.wire:
            session.restore(state)
        else:
            AgentConversation._switch(session, state)


class _SwitchesOtherwise(AgentConversation):
    """Goes on at another provider with what ``_kept`` makes of the messages."""

    @classmethod
    def begun(
        cls, agent: Agent, model: str, prompt: Sequence[tuple[str, str]], state: Mapping[str, Any] | None = None
    ) -> Self:
        """Begin, or go on with the history changed where the model is another one."""
        begun = super().begun(agent, model, prompt, state)
        if state is not None and (state["wire"], state["model"]) != (begun._session.wire, model):
            own = {"wire": begun._session.wire, "model": model, "history": list(begun._session.history)}
            member = wire(own["wire"]).history
            begun._session.history[:] = cls._changed(own, member)
        return begun

    @classmethod
    def _changed(cls, own: _State, member: str) -> list[Any]:  # noqa: ARG003
        speaker = wire(own["wire"])
        return speaker.entries([kept for each in _messages(own) for kept in cls._kept(each)])

    @classmethod
    def _kept(cls, message: Message) -> Iterator[Message]:
        yield message


@breaks("conversation", "results-lost-in-the-switch", "caller/switched-history", "continuation/")
@seen_in("switched-from-openai-chat-to-anthropic-messages", "switched-after-a-cancelled-run")
class LosesResultsInTheSwitch(_SwitchesOtherwise):
    """Goes on at another provider without the results."""

    @classmethod
    def _kept(cls, message: Message) -> Iterator[Message]:
        if not message.results:
            yield message


@breaks("conversation", "calls-lost-in-the-switch", "caller/switched-history")
@seen_in("switched-from-anthropic-messages-to-gemini-generate", "switched-after-a-failed-call")
class LosesCallsInTheSwitch(_SwitchesOtherwise):
    """Goes on at another provider with the texts alone."""

    @classmethod
    def _kept(cls, message: Message) -> Iterator[Message]:
        texts = tuple(part for part in message.parts if isinstance(part, Text))
        if texts:
            yield replace(message, parts=texts)


@breaks("conversation", "calls-written-in-the-switch", "caller/switched-history")
@seen_in("switched-from-gemini-generate-to-openai-chat", "switched-there-and-back")
class WritesCallsDownInTheSwitch(_SwitchesOtherwise):
    """Goes on at another provider with calls and results in words."""

    @classmethod
    def _kept(cls, message: Message) -> Iterator[Message]:
        yield _as_texts(replace(message, role="user") if message.results else message)


@breaks("conversation", "system-prompt-lost-in-the-switch", "offered/prompt")
@seen_in("switched-from-openai-responses-to-anthropic-messages", "switched-after-thinking-in-every-turn")
class LosesTheSystemPromptInTheSwitch(_SwitchesOtherwise):
    """Goes on at another provider without the system prompt."""

    @classmethod
    def begun(
        cls, agent: Agent, model: str, prompt: Sequence[tuple[str, str]], state: Mapping[str, Any] | None = None
    ) -> Self:
        """Begin, or go on without the system prompt."""
        return super().begun(agent, model, prompt, None if state is None else {**state, "system": []})


@breaks("conversation", "foreign-ids-kept", "continuation/", "caller/switched-ids")
@seen_in("switched-with-ids-of-another-alphabet", "switched-with-long-ids", "switched-to-mistral")
class KeepsForeignIds(AgentConversation):
    """Goes on at another provider with the ids that calls had at the first."""

    @staticmethod
    def _switch(session: EditableSession, state: Mapping[str, Any]) -> None:
        AgentConversation._switch(session, state)
        text = json.dumps(session.history)
        ids = dict.fromkeys(part.id for each in _messages(dict(state)) for part in each.parts if isinstance(part, Call))
        for number, id in enumerate(ids):
            text = re.sub(f'"c{number:08}"', json.dumps(id).replace("\\", r"\\"), text)
        session.history[:] = json.loads(text)


@breaks("conversation", "model-before-asked", "caller/switched-model")
@seen_in("switched-model-after-thinking", "switched-from-openai-chat-to-gemini-generate")
class AsksTheModelBefore(AgentConversation):
    """Goes on with the name of the model that it has begun with."""

    @classmethod
    def begun(
        cls, agent: Agent, model: str, prompt: Sequence[tuple[str, str]], state: Mapping[str, Any] | None = None
    ) -> Self:
        """Begin, or go on with the model of the state."""
        return super().begun(agent, model if state is None else state["model"], prompt, state)
