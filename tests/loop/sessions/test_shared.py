"""What all sessions share: how they listen, ids that are made up, results as text, the wait that headers ask for."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest

from harness.endpoint import CaseEndpoint, Endpoints, ScriptSource
from harness.endpoint.transport import EndpointTransport
from harness.loop.session import AssistantDelta, Delta, HttpFailed, SessionConfig, StreamFailed
from harness.loop.sessions.shared import as_it_came, listen, result_text, retry_after, unique_id
from harness.scenario import HttpErrorStep, TurnStep
from harness.targets.clients import Clients
from harness.trace import Case
from harness.wire import WIRES, Text, Turn, WireName
from harness.wire import wire as wire_named
from tests.case_tables import from_table


@pytest.mark.parametrize(
    ("given", "taken", "call_id"),
    [
        ("call_9", {"call_1"}, "call_9"),
        ("call_9", {"call_9"}, "call_1"),
        ("call_1", {"call_1"}, "call_2"),
        ("", set(), "call_0"),
        (None, {"x"}, "call_1"),
        (7, {"x", "call_2"}, "call_3"),
    ],
)
def test_an_id_that_cannot_be_used_is_replaced_by_a_free_one(given: Any, taken: set[str], call_id: str) -> None:
    assert unique_id(given, taken, "call_{}") == call_id


def test_results_are_told_as_json_that_can_be_sent() -> None:
    assert result_text({"content": "é🥐\ud83d"}) == '{"content": "é🥐\ufffd"}'


@from_table(__file__, "test_the_wait_is_read_in_seconds")
def test_the_wait_is_read_in_seconds(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(httpx2.Headers(headers)) == seconds


# --- streams ------------------------------------------------------------------------------------------------


async def stream(*events: str | Exception) -> AsyncIterator[str]:
    for event in events:
        if isinstance(event, Exception):
            raise event
        yield event


def say(event: str) -> list[Delta]:
    return [AssistantDelta(character) for character in event]


async def heard(*events: str | Exception, refuse: str = "") -> list[str]:
    told: list[str] = []

    async def on_event(delta: Delta) -> None:
        assert isinstance(delta, AssistantDelta)
        if delta.text == refuse:
            raise ValueError("the user's side is gone")
        told.append(delta.text)

    await listen(
        stream(*events), as_it_came, say, on_event, (ValueError,), lambda error: StreamFailed(f"broken: {error}")
    )
    return told


@pytest.mark.anyio
async def test_every_event_is_told_in_order() -> None:
    assert await heard("ab", "", "c") == ["a", "b", "c"]


@pytest.mark.anyio
async def test_only_what_the_stream_raises_is_its_failure() -> None:
    with pytest.raises(StreamFailed, match="broken: no JSON"):
        await heard("a", ValueError("no JSON"))
    with pytest.raises(KeyError):
        await heard("a", KeyError("not of the stream's kinds"))
    with pytest.raises(ValueError, match="the user's side is gone"):
        await heard("ab", refuse="b")


@pytest.mark.anyio
@pytest.mark.parametrize("wire", WIRES)
async def test_a_session_on_a_lent_client_starts_no_thread(wire: WireName) -> None:
    """An SDK client asks in a thread what it runs on; one per session, that would cost more than a short turn."""
    endpoints = Endpoints()
    case = Case("threads", "threads", wire)
    desk = CaseEndpoint(case, ScriptSource([TurnStep(Turn((Text("Done."),)))]), clock=lambda: 0.0)
    clients = Clients(EndpointTransport(endpoints))
    base_url = "http://harness" + endpoints.open("threads", desk)
    session = clients.open_session(wire, SessionConfig(wire_named(wire).default_model, [("user", "Hi.")], (), base_url))
    before = threading.active_count()

    async def on_event(delta: Delta) -> None:
        assert threading.active_count() == before

    assert (await session.stream_turn(on_event)).assistant_text == "Done."
    await clients.close()


@pytest.mark.anyio
@pytest.mark.parametrize("wire", WIRES)
async def test_a_connection_that_is_reset_is_a_failure_in_words_though_the_http_client_has_none(wire: WireName) -> None:
    endpoints = Endpoints()
    source = ScriptSource([HttpErrorStep(0, connection="reset")])
    case = CaseEndpoint(Case("reset", "reset", wire), source, clock=lambda: 0.0)
    clients = Clients(EndpointTransport(endpoints))
    base_url = "http://harness" + endpoints.open("reset", case)
    session = clients.open_session(wire, SessionConfig(wire_named(wire).default_model, [("user", "Hi.")], (), base_url))

    async def on_event(delta: Delta) -> None:
        raise AssertionError(delta)

    with pytest.raises(HttpFailed, match="the connection is lost: ReadError"):
        await session.stream_turn(on_event)
    await clients.close()
