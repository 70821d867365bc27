"""The real Agents SDK over WebSockets: what it does when a connection is lost, refused, or has lasted too long."""

from __future__ import annotations

import pytest

from harness.runner.execute import Finished
from harness.scenario import shipped
from harness.trace import Failure, RequestRecord
from tests.sdks import needs
from tests.targets.drivers.driving import found, ran, request, told

pytestmark = [pytest.mark.anyio, needs("agents", "openai-agents is not installed")]

STORED, UNSTORED = "openai-agents:websocket", "openai-agents:websocket-unstored"
KNOWN = {"history/result-value"}
"""What is found of every function that returns an object: the SDK sends what str() makes of it."""
ENDED = {"expect/outcome", "expect/events"}


async def played(target: str, scenario: str) -> Finished:
    return await ran(target, shipped() / "universal" / "websocket" / f"websocket-{scenario}.yaml", "openai-responses")


async def test_the_whole_input_goes_over_another_connection_where_that_is_the_default() -> None:
    finished = await played(STORED, "closed-between-turns")
    assert found(finished) == KNOWN
    asked = [record for record in finished.trace.records if isinstance(record, RequestRecord)]
    assert [record.connection for record in asked] == [1, 2]
    assert "previous_response_id" not in request(finished, 1)


async def test_a_response_that_is_not_stored_is_named_on_another_connection() -> None:
    finished = await played(UNSTORED, "closed-between-turns")
    assert found(finished) == {"OAI-CONNECTION", *ENDED, *KNOWN}
    (failure,) = told(finished, Failure)
    assert "previous_response_not_found" in failure.message


@pytest.mark.parametrize("target", [STORED, UNSTORED])
async def test_a_connection_that_has_lasted_too_long_ends_the_run(target: str) -> None:
    finished = await played(target, "limit-while-it-stays-open")
    assert found(finished) == {"socket/limit", *ENDED}  # the request with the result is read by nobody


async def test_a_connection_that_is_refused_ends_the_run() -> None:
    finished = await played(STORED, "refused-for-good")
    assert found(finished) == ENDED
