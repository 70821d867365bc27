"""One conversation over WebSockets, by the connection of the official SDK (``client.responses.connect``).

A request has only the new part of the history while the connection with the previous response lives. Otherwise (it was
lost, it has forgotten the response, it has lasted too long, the history was edited) the whole history is sent on a new
connection. If the server has no WebSockets, the session goes on over HTTP.
"""

from __future__ import annotations

import json
from contextlib import AsyncExitStack
from typing import Any, Final, cast

from openai import AsyncOpenAI
from openai.resources.responses.responses import AsyncResponsesConnection
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from harness.loop.session import HttpFailed, OnEvent, ProviderTurn, SessionConfig, StreamFailed
from harness.loop.sessions.openai_responses.reader import ResponsesReader
from harness.loop.sessions.openai_responses.session import OpenAIResponsesSession
from harness.loop.sessions.shared import retry_after, words_in
from harness.wire.base import Json
from harness.wire.lenient import members, objects, string

_NOT_HERE: Final = (404, 405, 426, 501)
"""Status codes that mean that a server has no WebSockets."""

_ASK_ANEW: Final = ("previous_response_not_found", "websocket_connection_limit_reached")
"""Errors after which the whole history on a new connection helps."""

_OPTIONS: Final[Any] = {"proxy": None, "max_queue": None, "compression": "deflate"}
"""The endpoint is on this machine, so no proxy is used. With a bounded queue nobody would read the close frame of a
connection that is left in the middle of an answer, and closing it would take ten seconds. Like most clients, this one
offers compression."""


class _Stale(Exception):
    """The connection no longer knows the previous response, and no part of an answer has arrived."""


class OpenAIResponsesSocketSession(OpenAIResponsesSession):
    """Like the session over HTTP, except for how a turn is requested."""

    def __init__(self, config: SessionConfig, client: AsyncOpenAI) -> None:
        super().__init__(config, client)
        self._connection: AsyncResponsesConnection | None = None
        self._opened = AsyncExitStack()
        self._over_http = False
        self._response_id = ""
        self._there: list[Json] = []

    async def stream_turn(self, on_event: OnEvent) -> ProviderTurn:
        """Ask for the next turn (``ProviderSession.stream_turn``)."""
        while True:
            is_new = self._connection is None
            connection = await self._ensure_connection() if self._stream else None
            if connection is None:
                return await super().stream_turn(on_event)
            try:
                return await self._turn(connection, on_event)
            except _Stale as stale:
                self._leave()
                if is_new:
                    raise StreamFailed(str(stale)) from stale
            except BaseException:  # what is left of the answer must not be taken for that to the next request
                self._leave()
                raise

    async def close(self) -> None:
        """Close the connections."""
        await self._opened.aclose()

    async def _ensure_connection(self) -> AsyncResponsesConnection | None:
        """The connection, or a new one; None if the server has no WebSockets. Raises ``HttpFailed``."""
        if self._connection is not None or self._over_http:
            return self._connection
        try:
            connecting = self._client.responses.connect(websocket_connection_options=_OPTIONS)
            self._connection = await self._opened.enter_async_context(connecting)
        except InvalidStatus as refused:
            if refused.response.status_code not in _NOT_HERE:
                raise _not_opened(refused) from refused
            self._over_http = True
        except (InvalidHandshake, OSError) as failed:
            raise HttpFailed(str(failed)) from failed
        return self._connection

    def _leave(self) -> None:
        """Stop using the connection. It is closed with the session, because closing may take a while."""
        self._connection, self._response_id, self._there = None, "", []

    # --- one turn ---------------------------------------------------------------------------------------------

    async def _turn(self, connection: AsyncResponsesConnection, on_event: OnEvent) -> ProviderTurn:
        reader, asked = ResponsesReader(self._call_ids), list(self.history)
        begun = False
        try:
            await connection.send_raw(json.dumps(self._create()))
        except ConnectionClosed as lost:
            raise _Stale(str(lost)) from lost
        while not reader.ended:
            event = await _next_event(connection, begun=begun)
            if event.get("stream_id"):  # of a stream with a name, and this one has none
                continue
            _check(event, begun=begun)
            begun = True
            for delta in reader.feed(event):
                await on_event(delta)
        turn = reader.finish()
        self._there = [*asked, *turn.assistant_turn] if _same_calls(event, turn) else []
        self._response_id = string(members(event.get("response")).get("id")) if self._there else ""
        return turn

    def _create(self) -> Json:
        """The frame that requests the next turn."""
        known = len(self._there)
        create: Json = {"type": "response.create", **self._fixed}
        if self._response_id and self.history[:known] == self._there and len(self.history) > known:
            return {**create, "previous_response_id": self._response_id, "input": self.history[known:]}
        return {**create, "input": self.history}


def _not_opened(refused: InvalidStatus) -> HttpFailed:
    response = refused.response
    return HttpFailed(
        f"Error code: {response.status_code} - {words_in(bytes(response.body))}",  # as the SDK has it
        response.status_code,
        retry_after(response.headers),
    )


async def _next_event(connection: AsyncResponsesConnection, *, begun: bool) -> Json:
    """The next event. Raises ``_Stale`` and ``StreamFailed``."""
    try:
        event = json.loads(await connection.recv_bytes())
    except ConnectionClosed as lost:
        raise (StreamFailed(str(lost)) if begun else _Stale(str(lost))) from lost
    except ValueError as broken:
        raise StreamFailed(str(broken)) from broken
    if not isinstance(event, dict):
        raise StreamFailed(f"The event is no object: {event!r:.200}")
    return event


def _check(event: Json, *, begun: bool) -> None:
    """Raise the failure of an error frame.

    An error frame that answers the request has the status of an HTTP answer. An error frame in the middle of an answer
    is like an error event in a stream over HTTP.
    """
    error = members(event.get("error"))
    if event.get("type") != "error" or not error:
        return
    code, message, status = string(error.get("code")), string(error.get("message")), event.get("status")
    if begun or not isinstance(status, int):
        raise StreamFailed(": ".join(filter(None, (code, message))))
    if code in _ASK_ANEW:
        raise _Stale(message)
    headers = cast("dict[str, str]", members(error.pop("headers", {})))
    raise HttpFailed(f"Error code: {status} - {message or error}", status, retry_after(headers))  # as the SDK has it


def _same_calls(event: Json, turn: ProviderTurn) -> bool:
    """Whether the server has the calls in the form that goes back. A call without a usable id has got another one."""
    sent = [item.get("call_id") for item in objects(members(event.get("response")).get("output"))]
    return [each for each in sent if each] == [item["call_id"] for item in turn.assistant_turn if item.get("call_id")]
