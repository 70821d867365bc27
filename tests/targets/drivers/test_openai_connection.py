"""The connection of OpenAI's SDK itself: what it opens again, and what it does not send again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.runner.execute import Finished
from harness.scenario import shipped
from harness.targets.drivers import openai_connection
from harness.trace import Failure, Final, RequestRecord, SocketRecord
from tests.targets.drivers.driving import found, ran, told

pytestmark = pytest.mark.anyio

TARGET = "openai:websocket"
ENDED = {"expect/outcome", "expect/events"}


def file(name: str) -> Path:
    (path,) = shipped().glob(f"universal/**/{name}.yaml")
    return path


async def played(scenario: str) -> Finished:
    return await ran(TARGET, file(scenario), "openai-responses")


@pytest.mark.parametrize("scenario", ["parallel-calls", "thinking-before-text", "websocket-unknown-event"])
async def test_a_loop_on_it_is_right(scenario: str) -> None:
    finished = await played(scenario)
    assert found(finished) == set()
    (final,) = told(finished, Final)
    assert final.outcome == "completed"


async def test_what_was_asked_over_a_lost_connection_is_not_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_connection, "_PATIENCE", 3.0)
    finished = await played("websocket-closed-before-an-answer")
    assert found(finished) == ENDED
    asked = [record.connection for record in finished.trace.records if isinstance(record, RequestRecord)]
    opened = [record for record in finished.trace.records if isinstance(record, SocketRecord) and record.did == "open"]
    assert (asked, len(opened)) == ([1, 1], 2)
    assert told(finished, Failure) == [Failure("stream", "no event has come within 3 seconds")]


@pytest.mark.parametrize("scenario", ["websocket-closed-between-turns", "websocket-refused-for-good"])
async def test_it_reconnects_only_while_events_are_read_and_does_not_go_on_over_http(scenario: str) -> None:
    finished = await played(scenario)
    assert found(finished) == ENDED
    (failure,) = told(finished, Failure)
    assert failure.message.startswith(("ConnectionClosed", "InvalidStatus"))


async def test_an_error_event_ends_the_run_with_its_status() -> None:
    finished = await played("websocket-limit-while-it-stays-open")
    assert found(finished) == {"socket/limit", *ENDED}
    (failure,) = told(finished, Failure)
    assert failure.kind == "http"
    assert "websocket_connection_limit_reached" in failure.message


async def test_a_loop_that_names_no_response_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from openai.resources.responses.responses import AsyncResponsesResponseResource

    create = AsyncResponsesResponseResource.create

    async def forgetful(self: Any, *, previous_response_id: str | None = None, **asked: Any) -> None:
        assert asked
        await create(self, **asked)

    monkeypatch.setattr(AsyncResponsesResponseResource, "create", forgetful)
    assert "OAI-11" in found(await played("tool-returns"))
