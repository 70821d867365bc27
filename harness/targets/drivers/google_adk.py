"""Google's Agent Development Kit on the Interactions API: ``LlmAgent`` with ``Gemini(use_interactions_api=True)``.

The kit names the previous interaction in each request, and sends what is new: results, with the thought signature
before their calls. Tools are plain functions. ``api_client`` returns a client with the case's address and key; it is
overridden as in the documentation of ``Gemini``. The kit needs ``google-genai`` 2, which the reference loop cannot use,
so it runs in an environment of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from harness.targets.base import CaseRun
from harness.targets.drivers.conversation import system_texts
from harness.targets.tools import CallableTool
from harness.targets.typed import checked_type, signed, typed_arguments
from harness.trace import Assistant, Failure, Final, JsonValue, Thinking, ToolResult, ToolStart

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.genai import Client

_APP, _USER = "harness", "user"
_OUTCOMES = {"MAX_TOKENS": "truncated", "SAFETY": "refused", "PROHIBITED_CONTENT": "refused"}


async def run(case_run: CaseRun) -> None:
    """Run the case. Raises what the library raises, except for its request limit, which is emitted as an event."""
    from google.genai import Client
    from google.genai.types import HttpOptions

    client = Client(api_key=case_run.api_key, http_options=HttpOptions(base_url=case_run.base_url))
    try:
        await _run(case_run, client)
    finally:
        await client.aio.aclose()


async def _run(case_run: CaseRun, client: Client) -> None:
    from google.adk.agents import LlmAgent
    from google.adk.agents.invocation_context import LlmCallsLimitExceededError
    from google.adk.runners import InMemoryRunner

    mapper = _AdkEvents(case_run)
    instruction = "\n".join(system_texts(case_run))
    agent = LlmAgent(
        name="assistant",
        model=_model(case_run, client),
        instruction=lambda _: instruction,  # a text would be searched for names in braces
        tools=[_function(tool, mapper.returned) for tool in case_run.callables],
        generate_content_config=_thinking() if case_run.reasons else None,
    )
    runner = InMemoryRunner(agent=agent, app_name=_APP)
    session = await runner.session_service.create_session(app_name=_APP, user_id=_USER)
    texts = [text for role, text in case_run.prompt if role == "user"]
    try:
        async for event in runner.run_async(
            user_id=_USER, session_id=session.id, new_message=_message(texts), run_config=_settings(case_run)
        ):
            mapper.event(event)
    except LlmCallsLimitExceededError as error:
        case_run.emit(Failure("turn-limit", str(error)))
    else:
        mapper.end()


def _thinking() -> Any:
    from google.genai.types import GenerateContentConfig, ThinkingConfig

    return GenerateContentConfig(thinking_config=ThinkingConfig(include_thoughts=True))


def _message(texts: list[str]) -> Any:
    from google.genai.types import Content, Part

    return Content(role="user", parts=[Part(text=text) for text in texts])


def _settings(case_run: CaseRun) -> Any:
    from google.adk.agents.run_config import RunConfig, StreamingMode

    limit = {} if case_run.turn_limit is None else {"max_llm_calls": case_run.turn_limit}
    return RunConfig(streaming_mode=StreamingMode.SSE if case_run.stream else StreamingMode.NONE, **limit)


def _model(case_run: CaseRun, client: Client) -> Any:
    from google.adk.models import Gemini

    class CaseGemini(Gemini):  # type: ignore[misc]
        """The model at the endpoint of the case."""

        @cached_property
        def api_client(self) -> Client:
            return client

    return CaseGemini(model=case_run.model, use_interactions_api=True)


def _function(tool: CallableTool, returned: set[str]) -> Callable[..., Any]:
    from google.adk.tools import ToolContext

    async def call(context: ToolContext, **arguments: Any) -> JsonValue:
        result = await tool(typed_arguments(tool, arguments), id=context.function_call_id)
        returned.add(context.function_call_id or "")
        return result

    return signed(call, tool, checked_type, context=ToolContext, described=False)


class _AdkEvents:
    """Maps the events of the library to ours.

    The texts of a streamed answer come in partial events, and once more in the event with the whole answer.
    ``returned`` are the ids of the calls whose function has returned.
    """

    def __init__(self, case_run: CaseRun) -> None:
        self._emit = case_run.emit
        self._streams = case_run.stream
        self._turn = 0
        self._text = ""
        self._outcome = "completed"
        self._failure = ""
        self.returned: set[str] = set()

    def event(self, event: Any) -> None:
        """Take one event of the run. An error ends the run only if nothing follows: after some the run goes on."""
        self._failure = f"{event.error_code}: {event.error_message}" if event.error_code else ""
        is_whole = not event.partial
        for part in (event.content and event.content.parts) or ():
            if part.text and not (is_whole and self._streams):
                self._show(part)
            if is_whole and part.function_call:
                called = part.function_call
                self._emit(ToolStart(called.id, called.name, called.args or {}))
            if is_whole and part.function_response:
                done = part.function_response
                self._emit(ToolResult(done.id, done.name, done.response, done.id in self.returned))
        if is_whole and event.content and event.content.role == "model":
            texts = (part.text for part in event.content.parts or () if part.text and not part.thought)
            self._turn, self._text = self._turn + 1, "".join(texts)
        if event.finish_reason is not None:
            self._outcome = _OUTCOMES.get(event.finish_reason.name, "completed")

    def end(self) -> None:
        """The run has ended. For an error the library emits an event, and then raises most errors."""
        self._emit(Failure("stream", self._failure) if self._failure else Final("", self._outcome, self._text))

    def _show(self, part: Any) -> None:
        if part.thought:
            self._emit(Thinking(part.text, f"thinking-{self._turn}"))
        else:
            self._emit(Assistant(part.text, f"text-{self._turn}"))
