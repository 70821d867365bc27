"""The Gemini session: every request has the whole history, with every part of the model in its place.

The SDK sends the body as it is, and each request has its own base URL and key. A ``genai.Client`` takes some 120 ms to
make and is shared. The history stays the received JSON, which avoids the SDK's own conversion of it on every turn
(0.3 ms and more per content, measured with google-genai 3.4).
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from traceback import walk_tb
from typing import Any, cast

import httpx2
from google import genai
from google.genai import errors, types
from google.genai._transformers import t_model

from harness.loop.session import CallResult, HttpFailed, OnEvent, ProviderTurn, SessionConfig, StreamFailed, TurnFailed
from harness.loop.sessions.gemini_generate.native import declaration, response_part
from harness.loop.sessions.gemini_generate.reader import GenerateReader
from harness.loop.sessions.google_sdk import API_VERSION, ONE_ATTEMPT, client_with
from harness.loop.sessions.shared import LENT_KEY, OwnHistory, extras, in_words, listen
from harness.wire.characters import sendable
from harness.wire.gemini_generate.errors import wait_in

_BROKEN = (errors.APIError, httpx2.HTTPError, ValueError, TypeError, AttributeError, LookupError)
"""What the SDK raises. On a body that it cannot read, some are ValueErrors, and the others it does not catch."""

_OF_THE_BODY = frozenset({"aiter_raw", "aiter_bytes"})
"""The functions of httpx2 that read and unpack the body of an answer."""


def open_client(http: httpx2.AsyncClient) -> genai.Client:
    """A client for any number of sessions over ``http``, which its caller closes.

    An own HTTP client stops the SDK from using aiohttp, which it prefers if it can import it.
    """
    return client_with(LENT_KEY, types.HttpOptions(httpx_async_client=http))


class GeminiGenerateSession(OwnHistory):
    """One conversation over ``POST /v1/models/{model}:streamGenerateContent`` (or ``:generateContent``).

    The ``client`` (see ``open_client``) is neither changed nor closed.
    """

    def __init__(self, config: SessionConfig, client: genai.Client) -> None:
        # The client itself is kept: one that only lends its ``aio`` is collected, and closes.
        self._client = client
        self._config = config
        self._stream = config.stream
        self._call_ids: set[str] = set()
        self.history = [_text_content(text) for role, text in config.prompt if role == "user"]
        self._body: dict[str, Any] = {
            "contents": self.history,
            "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
        }
        if system := [{"text": sendable(text)} for role, text in config.prompt if role == "system"]:
            self._body["systemInstruction"] = {"parts": system}
        if config.tools:
            self._body["tools"] = [{"functionDeclarations": [declaration(tool) for tool in config.tools]}]

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``)."""
        reader = GenerateReader(self._call_ids)
        try:
            answer = await self._answer()
        except _BROKEN as error:
            raise _failure(error) from error
        async with aclosing(answer) as responses:
            await listen(responses, _json, reader.feed, on_event, _BROKEN, _failure)
        for delta in reader.end():
            await on_event(delta)
        return reader.finish()

    def message(self, role: str, text: str) -> dict[str, Any]:
        """A content of the ``user`` or, for role ``assistant``, of the model. The API refuses other roles (GEM-03)."""
        return _text_content(text, "model" if role == "assistant" else role)

    def turn_messages(self, turn: ProviderTurn) -> list[dict[str, Any]]:
        """The model's content; empty for a turn without parts, because the API refuses such a content (GEM-02)."""
        return [turn.assistant_turn] if turn.assistant_turn["parts"] else []

    def result_messages(self, turn: ProviderTurn, call_results: Sequence[CallResult]) -> list[dict[str, Any]]:
        """One user content with all results, and behind it another one (GEM-23) with the extra texts of calls.

        A response has the name and the id of its call as the provider sent it, so an invented id is never sent.
        """
        calls = [part["functionCall"] for part in turn.assistant_turn["parts"] if "functionCall" in part]
        natives = {call.id: native for call, native in zip(turn.tool_calls, calls, strict=True)}
        parts = [response_part(natives[done.call.id], done.result, done.ok) for done in call_results]
        texts = [{"text": text} for text in extras(call_results)]
        return [{"role": "user", "parts": each} for each in (parts, texts) if each]

    def set_params(self, **fields: Any) -> None:
        """Change fields of further requests; ``model`` is in their path."""
        if model := fields.pop("model", None):
            self._config = replace(self._config, model=model)
        self._body.update(fields)

    async def _answer(self) -> AsyncGenerator[types.HttpResponse]:
        """The responses of a stream, or the only one, with the JSON that was received.

        The SDK's public methods build an object of each response, which takes longer than the rest of a streamed turn.
        """
        options = types.HttpOptions(
            base_url=self._config.base_url,
            api_version=API_VERSION,
            headers={"x-goog-api-key": self._config.api_key},
            retry_options=ONE_ATTEMPT,
        )
        api = self._client._api_client
        model, body = t_model(api, self._config.model), dict(self._body)
        if self._stream:
            stream = await api.async_request_streamed("post", f"{model}:streamGenerateContent?alt=sse", body, options)
            return cast("AsyncGenerator[types.HttpResponse]", stream)
        return _alone(await api.async_request("post", f"{model}:generateContent", body, options))


async def _alone(response: types.HttpResponse) -> AsyncGenerator[types.HttpResponse]:
    yield response


def _json(response: types.HttpResponse) -> Any:
    return json.loads(response.body) if response.body else {}


def _text_content(text: str, role: str = "user") -> dict[str, Any]:
    return {"role": role, "parts": [{"text": sendable(text)}]}


# --- failures -----------------------------------------------------------------------------------------------


def _failure(error: Exception) -> TurnFailed:
    if isinstance(error, errors.APIError):
        return _failure_of(error)
    if isinstance(error, httpx2.HTTPError):
        return _broken(error)
    return StreamFailed(f"the response cannot be read: {error}")


def _failure_of(error: errors.APIError) -> TurnFailed:
    """The failure for an error status, or for an error object inside a stream (whose response has status 200)."""
    words = f"{error.status}: {error.message}" if error.message else error.details  # of a proxy, in a form of its own
    message = f"{error.code} {words}"
    status = error.response.status_code
    if status == 200:
        return StreamFailed(message)
    return HttpFailed(message, status, wait_in(error.details) if isinstance(error.details, dict) else None)


def _broken(error: httpx2.HTTPError) -> TurnFailed:
    """The failure for a connection that was cut while the body was read, or before there was a response."""
    message = in_words(error)
    if any(frame.f_code.co_name in _OF_THE_BODY for frame, _ in walk_tb(error.__traceback__)):
        return StreamFailed(f"the stream broke: {message}")
    return HttpFailed(message)
