"""The reference loop without SDKs: its requests are handed to the gateway as bytes, within the same call.

It is for rules and renderers, where the behaviour of an SDK does not matter and a run should be as cheap as possible.
Loop, tools, policies and rules are the same as for the target ``reference``.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from harness.endpoint import Endpoints, LiveResponse
from harness.errors import BadInput
from harness.loop import EditableSession, SessionConfig
from harness.loop.sessions.wire_only import Answered, WireOnlySession
from harness.scenario import Skill
from harness.targets.reference import ReferenceTarget
from harness.targets.sessions import NO_SKILLS
from harness.wire import WireName, native_wires, wire

_BROKEN = {"cut": "the connection was closed in the middle of the response", "reset": "the connection was reset"}
_NO_ANSWER = "the server disconnected without sending a response"


def wire_only(endpoints: Endpoints) -> ReferenceTarget:
    """The target ``wire-only``.

    It has the wires with native tool calls. The text protocol is left out: its session needs more than the neutral
    values (skills, why a call could not be read).
    """
    return ReferenceTarget(WireOnlySessions(endpoints), name="wire-only", wires=frozenset(native_wires()))


class WireOnlySessions:
    """Sessions whose requests go straight to ``gateway``, without SDK clients."""

    paced = False

    def __init__(self, endpoints: Endpoints) -> None:
        self._endpoints = endpoints

    def open_session(
        self,
        name: WireName,
        config: SessionConfig,
        skills: Mapping[str, Skill] = NO_SKILLS,  # noqa: ARG002 - the text protocol's
    ) -> EditableSession:
        """A session of the wire with this name."""
        prefix = urlsplit(config.base_url).path
        # The key is in a header on which no wire depends: nothing else is said in headers here.
        headers = {"content-type": "application/json", "api-key": config.api_key}
        return WireOnlySession(
            wire(name),
            config,
            lambda path, body: self._post(prefix + path, headers, body),
            lambda path: self._get(prefix + path),
        )

    def _post(self, target: str, headers: Mapping[str, str], body: bytes) -> Answered:
        endpoint, exchange, answer = self._endpoints.answer("POST", target, headers, body)
        if isinstance(answer, LiveResponse):
            raise BadInput("the target wire-only opens no connection, so nothing can be recorded with it")
        if endpoint is not None:
            endpoint.recorder.respond(exchange, answer.status, answer.headers)
            for chunk in answer.chunks:
                endpoint.recorder.delivered(exchange, chunk)
            endpoint.ended(exchange, answer.end)
        broken = _BROKEN.get(answer.end, "") if answer.status else _NO_ANSWER
        return Answered(answer.status, answer.headers, b"".join(answer.chunks), broken)

    def _get(self, target: str) -> Answered:
        _, _, answer = self._endpoints.answer("GET", target, {}, b"")
        if isinstance(answer, LiveResponse):
            raise BadInput("the target wire-only opens no connection, so nothing can be recorded with it")
        return Answered(answer.status, answer.headers, b"".join(answer.chunks))

    async def close(self) -> None:
        """Nothing is open."""
