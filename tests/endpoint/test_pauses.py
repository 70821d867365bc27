"""Answers that stop on their way until the caller of the loop has acted, and whether somebody still takes the rest."""

from __future__ import annotations

import httpx2
import pytest

from harness.endpoint import Endpoints, Pause
from harness.endpoint.server import serving
from harness.trace import End
from tests.endpoint.endpoint import DONE, PATH, desk, question

pytestmark = pytest.mark.anyio


class Stop:
    """A moment at which the answer stops. ``is_left`` says that nobody takes the rest."""

    def __init__(self, *, is_left: bool) -> None:
        self.reached_times = 0
        self.awaited = 0
        self._is_left = is_left

    async def _wait(self) -> bool:
        self.awaited += 1
        return self._is_left

    def at(self, chunks: int) -> Pause:
        return Pause(chunks, self._reached)

    def _reached(self) -> object:
        self.reached_times += 1
        return self._wait()


async def asked(*pauses: Pause) -> tuple[End, bytes, bytes]:
    """How the answer ended, what was recorded of it, and what a client has got that stays."""
    endpoints, case = Endpoints(), desk([DONE])
    case.pauses = lambda *_: pauses
    endpoints.open("a-case", case)
    got = b""
    async with serving(endpoints) as base, httpx2.AsyncClient(trust_env=False) as http:
        try:
            async with http.stream("POST", f"{base}/case/a-case{PATH}", content=question()) as response:
                async for piece in response.aiter_raw():
                    got += piece
        except httpx2.RemoteProtocolError:
            pass  # the endpoint has closed the connection
    (exchange,) = case.recorder.trace().exchanges
    assert exchange.response is not None
    return exchange.response.end, exchange.response.body, got


async def test_a_client_that_stays_though_its_run_is_over_gets_no_broken_connection_to_ask_on_again() -> None:
    """As botocore in a thread that nobody can cancel, which sends a request again that has got no answer."""
    endpoints, case = Endpoints(), desk([DONE])
    case.pauses = lambda *_: (Stop(is_left=True).at(0),)
    endpoints.open("a-case", case)
    async with (
        serving(endpoints) as base,
        httpx2.AsyncClient(trust_env=False) as http,
        http.stream("POST", f"{base}/case/a-case{PATH}", content=question()) as response,
    ):
        assert response.status_code == 200
        with pytest.raises(httpx2.RemoteProtocolError, match="incomplete chunked read"):
            await response.aread()


async def test_an_answer_goes_on_where_somebody_takes_it() -> None:
    first, second = Stop(is_left=False), Stop(is_left=False)
    end, recorded, got = await asked(first.at(0), first.at(2), second.at(2))
    assert (end, recorded) == ("eof", got)
    assert b"[DONE]" in got
    assert (first.awaited, second.awaited) == (2, 1)


@pytest.mark.parametrize("chunks", [0, 2])
async def test_an_answer_that_nobody_takes_any_more_breaks_off(chunks: int) -> None:
    """Also where the client keeps the connection: then its loop never reads what is written to it."""
    end, recorded, got = await asked(Stop(is_left=True).at(chunks))
    assert (end, recorded) == ("closed", got)
    assert (recorded == b"") is (chunks == 0)
    assert b"[DONE]" not in recorded
