"""Automatic function calling of Google's SDK: ``generate_content`` runs the functions that it gets as tools.

``run`` drives the asynchronous client. ``run_sync`` drives the blocking client, which has a second copy of the loop.
The SDK reports only chunks. What its functions did is in the history alone, so the harness reports it.

Cases with a timeline run on the SDK's chats, which have loops of their own (``google/genai/chats.py``): each run sends
one message. A chat sends its curated history, which lacks invalid turns, so the chat of the next message in the same
process begins with that. Another process begins with all turns, as ``get_history()`` returns them. A run of the
asynchronous chat is cancelled as an asyncio task; the history of the chat then lacks the turn that has not ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import keep, live, stored, system_texts
from harness.targets.tools import CallableTool
from harness.targets.typed import signed, typed_arguments
from harness.trace import Assistant, Final, JsonValue, Thinking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from google.genai import Client
    from google.genai.chats import AsyncChat, Chat
    from google.genai.types import Content, GenerateContentResponse, Part


async def run(case_run: CaseRun) -> None:
    """Run the case on the asynchronous client. Raises what the SDK raises."""
    if case_run.has_timeline:
        await _say(case_run)
        return
    request = _request(case_run, _async_callable)
    mapper = _ChunkMapper(case_run, request)
    async with _client(case_run).aio as client:
        if case_run.stream:
            async for chunk in await client.models.generate_content_stream(**request):
                mapper.chunk(chunk)
        else:
            mapper.whole(await client.models.generate_content(**request))
    mapper.end()


def run_sync(case_run: CaseRun) -> None:
    """Run the case on the client that blocks. Raises what the SDK raises."""
    if case_run.has_timeline:
        _say_at_once(case_run)
        return
    request = _request(case_run, _at_once)
    mapper = _ChunkMapper(case_run, request)
    with _client(case_run) as client:
        if case_run.stream:
            for chunk in client.models.generate_content_stream(**request):
                mapper.chunk(chunk)
        else:
            mapper.whole(client.models.generate_content(**request))
    mapper.end()


async def _say(case_run: CaseRun) -> None:
    """Run the case on an asynchronous chat."""
    request = _request(case_run, _async_callable)
    before = _before(case_run)
    async with _client(case_run).aio as client:
        chat = client.chats.create(**_chat(case_run, request, before))
        mapper = _ChatMapper(case_run, request, chat)
        try:
            if case_run.stream:
                async for chunk in await chat.send_message_stream(_user_text(request)):
                    mapper.chunk(chunk)
            else:
                mapper.whole(await chat.send_message(_user_text(request)))
        finally:
            _keep(case_run, chat, before)
    mapper.end()


def _say_at_once(case_run: CaseRun) -> None:
    """Run the case on a chat that blocks."""
    request = _request(case_run, _at_once)
    before = _before(case_run)
    with _client(case_run) as client:
        chat = client.chats.create(**_chat(case_run, request, before))
        mapper = _ChatMapper(case_run, request, chat)
        try:
            if case_run.stream:
                for chunk in chat.send_message_stream(_user_text(request)):
                    mapper.chunk(chunk)
            else:
                mapper.whole(chat.send_message(_user_text(request)))
        finally:
            _keep(case_run, chat, before)
    mapper.end()


def _before(case_run: CaseRun) -> list[Content]:
    """The history that the previous messages have left: the SDK's own contents, or, in another process, their JSON."""
    from google.genai.types import Content

    if (contents := live(case_run)) is not None:
        return list(contents)
    return [Content.model_validate(content) for content in stored(case_run)]


def _chat(case_run: CaseRun, request: Mapping[str, Any], before: Sequence[Content]) -> dict[str, Any]:
    """The arguments with which a chat is created."""
    return {
        "model": case_run.model,
        "config": request["config"],
        "history": [*before, *request["contents"][:-1]],
    }


def _user_text(request: Mapping[str, Any]) -> str:
    """What the user says now."""
    text: str = request["contents"][-1].parts[0].text
    return text


def _keep(case_run: CaseRun, chat: Chat | AsyncChat, before: Sequence[Content]) -> None:
    """Leave what one chat for all messages would have: the whole history as JSON, and the history that it sends."""
    added = chat.get_history()[len(before) :]
    turns = [*stored(case_run), *(content.model_dump(mode="json", exclude_none=True) for content in added)]
    keep(case_run, turns, chat.get_history(curated=True))


def _client(case_run: CaseRun) -> Client:
    from google.genai import Client
    from google.genai.types import HttpOptions

    return Client(api_key=case_run.api_key, http_options=HttpOptions(base_url=case_run.base_url))


def _request(case_run: CaseRun, function: Callable[[CallableTool], Callable[..., Any]]) -> dict[str, Any]:
    from google.genai.types import AutomaticFunctionCallingConfig, Content, GenerateContentConfig, Part, ThinkingConfig

    config = GenerateContentConfig(tools=[function(tool) for tool in case_run.callables])
    config.system_instruction = "\n".join(system_texts(case_run)) or None
    if case_run.reasons:
        config.thinking_config = ThinkingConfig(include_thoughts=True)
    if case_run.turn_limit is not None:
        config.automatic_function_calling = AutomaticFunctionCallingConfig(maximum_remote_calls=case_run.turn_limit)
    contents = [
        Content(role="model" if role == "assistant" else role, parts=[Part(text=text)])
        for role, text in case_run.prompt
        if role != "system"
    ]
    return {"model": case_run.model, "contents": contents, "config": config}


def _async_callable(tool: CallableTool) -> Callable[..., Any]:
    async def call(**arguments: Any) -> JsonValue:
        return await tool(typed_arguments(tool, arguments))

    return signed(call, tool, described=False)  # its conversion of arguments knows no Annotated


def _at_once(tool: CallableTool) -> Callable[..., Any]:
    def call(**arguments: Any) -> JsonValue:
        return tool.now(typed_arguments(tool, arguments))

    return signed(call, tool, described=False)  # its conversion of arguments knows no Annotated


class _ChunkMapper:
    """Maps the SDK's chunks, or its whole response, to events: text, thoughts, and why the model stopped.

    Each contains the history of the calls that the SDK has answered (``automatic_function_calling_history``), which
    begins with the prompt. Without a stream, only this history has the texts beside the calls.
    """

    def __init__(self, case_run: CaseRun, request: Mapping[str, Any]) -> None:
        from google.genai._extra_utils import get_max_remote_calls_afc

        self._emit = case_run.emit
        self._limit = get_max_remote_calls_afc(request["config"])
        self._prompt = len(request["contents"])
        self._answered = 0
        self._parts: list[Part] = []
        self._last: GenerateContentResponse | None = None

    def chunk(self, chunk: GenerateContentResponse) -> None:
        """A piece of a streamed response."""
        answered = self._answers_before(chunk)
        if answered != self._answered:
            self._answered, self._parts = answered, []
        self._last = chunk
        parts = _parts(chunk)
        self._parts.extend(parts)
        self._emit_parts(parts, f"{chunk.response_id}")

    def whole(self, response: GenerateContentResponse) -> None:
        """Take the last response, which the SDK returns. Its history has the earlier ones, but without their ids."""
        for number, content in enumerate(self._turns_before(response)):
            self._emit_parts(content.parts or (), f"history-{number}")
        self.chunk(response)

    def _answers_before(self, chunk: GenerateContentResponse) -> int:
        """How many turns with calls the SDK has answered in this run."""
        return len(_answers(chunk.automatic_function_calling_history))

    def _turns_before(self, response: GenerateContentResponse) -> Sequence[Content]:
        """The contents of this run before the response."""
        return (response.automatic_function_calling_history or [])[self._prompt :]

    def _emit_parts(self, parts: Sequence[Part], id: str) -> None:
        for part in parts:
            if part.text and part.thought:
                self._emit(Thinking(part.text, f"{id}-thought"))
            elif part.text:
                self._emit(Assistant(part.text, f"{id}-text"))

    def end(self) -> None:
        text = "".join(part.text or "" for part in self._parts if not part.thought)
        self._emit(Final("", "turn-limit" if self._at_the_limit() else _outcome(self._last), text))

    def _at_the_limit(self) -> bool:
        """Whether the SDK has reached its request limit and left a call to its caller. Nothing else shows this."""
        asks = any(part.function_call for part in self._parts)
        return asks and self._answered + 1 >= self._limit


class _ChatMapper(_ChunkMapper):
    """The same for a chat, which keeps its history itself: it adds each turn, with its input, when the turn is over."""

    def __init__(self, case_run: CaseRun, request: Mapping[str, Any], chat: Any) -> None:
        super().__init__(case_run, request)
        self._chat = chat
        self._begins = len(chat.get_history())

    def _answers_before(self, chunk: GenerateContentResponse) -> int:  # noqa: ARG002 - the chat knows it
        return sum(content.role == "user" for content in self._chat.get_history()[self._begins :])

    def _turns_before(self, response: GenerateContentResponse) -> Sequence[Content]:  # noqa: ARG002 - the chat knows it
        turns = [content for content in self._chat.get_history()[self._begins :] if content.role == "model"]
        return turns[:-1]


def _answers(history: Sequence[Content] | None) -> list[Content]:
    """The contents of the history with which the SDK has answered calls, one for each turn."""
    return [content for content in history or () if any(part.function_response for part in content.parts or ())]


def _parts(chunk: GenerateContentResponse | None) -> list[Part]:
    content = chunk.candidates[0].content if chunk is not None and chunk.candidates else None
    return (content.parts if content is not None else None) or []


def _outcome(last: GenerateContentResponse | None) -> str:
    """How the run ended, by the finish reason in the last object that the SDK yielded."""
    from google.genai.types import FinishReason

    if last is None or not last.candidates:
        return "completed" if last is None or last.prompt_feedback is None else "refused"
    match last.candidates[0].finish_reason:
        case FinishReason.MAX_TOKENS:
            return "truncated"
        case FinishReason.STOP | None:
            return "completed"
        case _:
            return "refused"
