"""The id under which a server that remembers conversations finds one again."""

from __future__ import annotations

from typing import Any

import pytest

from harness.errors import BadInput
from harness.loop.sessions.server_session import HEADER, ServerSession
from tests.case_tables import from_table
from tests.loop.sessions.text_tags_endpoint import Conversing
from tests.wire.text_tags.reading import call

pytestmark = pytest.mark.anyio


async def sent(session: ServerSession, *, stream: bool = True) -> list[str | None]:
    """The ids of the requests of a run of two turns."""
    talk = Conversing(call("search"), "Done.", server_session=session, stream=stream)
    await talk.turn("found")
    await talk.turn()
    assert "extra_headers" not in talk.transport.bodies[0]
    return [request.headers.get(HEADER) for request in talk.transport.requests]


@pytest.mark.parametrize("stream", [True, False])
async def test_a_fresh_id_is_the_same_in_a_run_and_another_in_the_next(stream: bool) -> None:
    one, again = await sent(ServerSession("fresh"), stream=stream)
    other, _ = await sent(ServerSession("fresh"), stream=stream)
    assert one
    assert one == again != other


async def test_an_id_of_an_earlier_run_is_resumed() -> None:
    first = ServerSession("fresh")
    assert await sent(ServerSession("resume", first.id)) == await sent(first) == [first.id, first.id]


@pytest.mark.parametrize("session", [ServerSession(), ServerSession("stateless")])
async def test_without_a_memory_of_the_server_there_is_no_id(session: ServerSession) -> None:
    assert await sent(session) == [None, None]


@from_table(__file__, "test_what_no_session_can_be_is_bad_input")
def test_what_no_session_can_be_is_bad_input(mode: Any, id: str, expected: str) -> None:
    with pytest.raises(BadInput, match=expected):
        ServerSession(mode, id)
