"""One conversation over ``POST /v1/interactions``, on google-genai's ``client.interactions``.

The provider stores each interaction, and the next request names it and sends what is new. That works only while the
history equals that of the interaction. If a caller has changed it, if a call needed another id, or if an interaction
was left out, all steps are sent, including the signed thoughts, and no interaction is named.
"""

from __future__ import annotations

import ssl
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final, NamedTuple

import httpx2
from google.genai import types
from google.genai._gaos.lib.compat_errors import APIConnectionError, APIError, APIStatusError

from harness.loop.session import CallResult, HttpFailed, OnEvent, ProviderTurn, SessionConfig, StreamFailed, TurnFailed
from harness.loop.sessions.gemini_interactions.reader import InteractionReader
from harness.loop.sessions.google_sdk import API_VERSION, ONE_ATTEMPT, client_with
from harness.loop.sessions.shared import (
    OwnHistory,
    as_it_came,
    extras,
    in_words,
    listen,
    result_text,
    retry_after,
    to_the_end,
    when_done,
)
from harness.wire import ToolDeclaration
from harness.wire.base import Json
from harness.wire.characters import sendable
from harness.wire.gemini_interactions.steps import CALL, INPUT, OUTPUT, RESULT, THOUGHT, kind_of
from harness.wire.gemini_interactions.words import GOES_ON
from harness.wire.lenient import members, objects, string

# The SDK says that an answer is not whole wherever it is not to continue it by itself; the session does that.
warnings.filterwarnings("ignore", "Interaction stopped before completion")

_BROKEN: Final = (APIError, httpx2.HTTPError, ValueError, TypeError, AttributeError, LookupError)
"""What the SDK raises. On a body that it cannot read: its own errors, pydantic's, and some that it does not catch."""


@cache
def _certificates() -> ssl.SSLContext:
    """A context for connections of the SDK's own, which it never opens here. Without it the SDK reads the certificates
    twice for each client, which takes longer than the rest of opening a session."""
    return ssl.create_default_context()


class _Held(NamedTuple):
    """The last interaction as the provider stores it: its id, and all steps up to its end.

    A long answer that goes on has a ``token``. ``begun`` is the input with which it goes on if it is not stored.
    """

    id: str
    steps: list[Json]
    token: str
    begun: list[Json]


class GeminiInteractionsSession(OwnHistory):
    """One conversation; the ``http`` client is neither changed nor closed.

    The SDK client is the session's own: it is made for one base URL, and for one key.
    """

    def __init__(self, config: SessionConfig, http: httpx2.AsyncClient) -> None:
        options = types.HttpOptions(
            base_url=config.base_url,
            api_version=API_VERSION,
            httpx_async_client=http,
            retry_options=ONE_ATTEMPT,
            client_args={"verify": _certificates()},
            async_client_args={"ssl": _certificates()},
        )
        self._client = client_with(config.api_key, options)
        self._stream = config.stream
        self._call_ids: set[str] = set()
        self._held = _Held("", [], "", [])
        self.history: list[Json] = [self.message(role, text) for role, text in config.prompt if role == "user"]
        self._fixed: dict[str, Any] = {"model": config.model, "generation_config": {"thinking_summaries": "auto"}}
        if system := [sendable(text) for role, text in config.prompt if role == "system"]:
            self._fixed["system_instruction"] = "\n\n".join(system)
        if config.tools:
            self._fixed["tools"] = [_tool(tool) for tool in config.tools]

    def stored(self) -> dict[str, Any]:
        """What a later session needs to go on, including the interaction that it may name."""
        return {**super().stored(), "held": list(self._held)}

    def restore(self, stored: Mapping[str, Any]) -> None:
        """Go on with what an earlier session has stored."""
        super().restore(stored)
        self._held = _Held(*stored["held"])

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``)."""
        reader = InteractionReader(self._call_ids)
        sent, request = list(self.history), self._request()
        try:
            answer = await self._answer(request)
        except _BROKEN as error:
            raise _failure(error) from error
        if hasattr(answer, "__aiter__"):
            async with answer:
                # The reader has the SDK write out what it has built unchecked, which raises for some odd values.
                await listen(to_the_end(answer, reader), reader.feed, as_it_came, on_event, _BROKEN, _broken)
        else:
            for delta in _read_whole(reader, answer):
                await on_event(delta)
        turn = reader.finish()
        self._held = _Held(reader.id, [*sent, *reader.issued], reader.continuation, request.get("input", []))
        return turn

    def message(self, role: str, text: str) -> Json:
        """A step of the ``user`` or the ``assistant``."""
        kind = OUTPUT if role == "assistant" else INPUT
        return {"type": kind, "content": [{"type": "text", "text": sendable(text)}]}

    def turn_messages(self, turn: ProviderTurn) -> list[Json]:
        """The model's steps, but for texts and thoughts that say nothing and sign nothing (INT-11)."""
        return [step for step in turn.assistant_turn if not _is_empty(step)]

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[Json]:
        """One result per call with the name of its tool (INT-07), then the extra texts of calls."""
        names = {step["id"]: step["name"] for step in turn.assistant_turn if kind_of(step) == CALL}
        results = [_result(done, names.get(done.call.id, done.call.name)) for done in call_results]
        return results + [self.message("user", text) for text in extras(call_results)]

    async def _answer(self, request: dict[str, Any]) -> Any:
        """The provider's answer. An answer that it makes in the background is returned once it is done."""
        ask, interactions = {**request, "stream": self._stream}, self._client.aio.interactions
        if not request.get("background"):
            return await interactions.create(**ask, automatic_continuation=False)
        return await when_done(await interactions.create(**ask), interactions.get)  # the SDK takes no more than that

    def _request(self) -> dict[str, Any]:
        """The steps behind the provider's interaction, or all steps if the provider has another history.

        A request for more of a long answer has its token, and its interaction or the input that it answers.
        """
        id_, steps, token, begun = self._held
        new = self.history[len(steps) :]
        if token and self.history == steps:
            return {**self._fixed, GOES_ON: token, **({"previous_interaction_id": id_} if id_ else {"input": begun})}
        if id_ and new and self.history[: len(steps)] == steps and self._fixed.get("store", True):
            return {**self._fixed, "previous_interaction_id": id_, "input": new}
        return {**self._fixed, "input": list(self.history)}


def _read_whole(reader: InteractionReader, answer: Any) -> list[Any]:
    try:
        return reader.feed(answer, whole=True)
    except _BROKEN as error:
        raise _broken(error) from error


def _is_empty(step: Json) -> bool:
    if kind_of(step) == THOUGHT:
        return not step.get("signature")
    return kind_of(step) == OUTPUT and not any(each.get("text", "-") for each in objects(step.get("content")))


def _result(done: CallResult, name: str) -> Json:
    failed = {} if done.ok else {"is_error": True}
    return {"type": RESULT, "call_id": done.call.id, "name": name, "result": result_text(done.result), **failed}


def _tool(tool: ToolDeclaration) -> Json:
    return {"type": "function", "name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}


# --- failures -----------------------------------------------------------------------------------------------


def _failure(error: Exception) -> TurnFailed:
    """The failure for an error answer, a connection that failed before an answer, or a body that cannot be read.

    For an HTML page with status 200 the SDK raises an error that is not about a status.
    """
    if isinstance(error, APIConnectionError):
        return HttpFailed(str(error))  # the SDK has words of its own where the HTTP client has none
    if isinstance(error, APIStatusError):
        return HttpFailed(_words(error), error.status_code, retry_after(error.response.headers))
    return _broken(error)


def _words(error: APIStatusError) -> str:
    """The provider's message, or, if the body has another form, the SDK's text with the whole body."""
    refusal = members(members(error.body).get("error"))
    message = string(refusal.get("message"))
    return f"{error.status_code} {refusal.get('code')}: {message}" if message else str(error)


def _broken(error: Exception) -> StreamFailed:
    return StreamFailed(f"the response cannot be read: {in_words(error)}")
