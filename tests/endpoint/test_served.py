"""What real clients send beside conversations: served, or refused with the reason and counted."""

from __future__ import annotations

import asyncio
import gzip
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from importlib import import_module

import httpx2
import pytest
import websockets

from harness.endpoint import CaseEndpoint, Endpoints
from harness.endpoint.encodings import LARGEST_BODY
from harness.endpoint.server import serving
from harness.wire import NATIVE_WIRES
from tests.endpoint.endpoint import DONE, PATH, desk, question
from tests.sdks import openai

zstd = import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")

pytestmark = pytest.mark.anyio


@dataclass(frozen=True)
class Served:
    """One case on a loopback port."""

    desk: CaseEndpoint
    endpoints: Endpoints
    base: str
    http: httpx2.AsyncClient

    @property
    def url(self) -> str:
        return f"{self.base}/case/a-case"

    @property
    def not_served(self) -> dict[str, int]:
        return dict(self.endpoints.not_served("a-case"))


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    endpoints, case = Endpoints(), desk([DONE])
    endpoints.open("a-case", case, "gpt-4.1")
    async with serving(endpoints) as base, httpx2.AsyncClient(trust_env=False) as http:
        yield Served(case, endpoints, base, http)


# --- HEAD -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1beta", "/v1/models", "/v1/models/x", "/v1?x=1"])
async def test_head_of_what_is_there_has_no_body(served: Served, path: str) -> None:
    for _ in range(2):  # on one connection
        answer = await served.http.head(f"{served.url}{path}")
        assert (answer.status_code, answer.content) == (200, b"")
    assert served.not_served == {}


@pytest.mark.parametrize("path", ["/v1/files", PATH, "/v1/messages"])
async def test_head_of_anything_else_is_404_without_a_body(served: Served, path: str) -> None:
    for _ in range(2):
        answer = await served.http.head(f"{served.url}{path}")
        assert (answer.status_code, answer.content) == (404, b"")
    assert served.not_served == {f"HEAD {path}": 2}
    assert (await served.http.head(f"{served.base}/nothing")).status_code == 404
    assert served.endpoints.not_served(None) == {"HEAD /nothing": 1}


# --- compressed bodies --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["gzip", "zstd"])
async def test_a_compressed_request_is_read_and_recorded_as_it_was(served: Served, encoding: str) -> None:
    body = question(stream=False)
    packed = gzip.compress(body) if encoding == "gzip" else zstd.compress(body)
    answer = await served.http.post(f"{served.url}{PATH}", content=packed, headers={"content-encoding": encoding})
    assert answer.status_code == 200
    assert answer.json()["choices"][0]["message"]["content"] == "All done."
    (exchange,) = served.desk.recorder.trace().exchanges
    assert exchange.request.body == body
    assert "content-encoding" not in exchange.request.headers
    assert served.not_served == {}


async def test_one_that_cannot_be_read_is_refused_with_the_reason_and_counted(served: Served) -> None:
    async def post(body: bytes, encoding: str) -> httpx2.Response:
        return await served.http.post(f"{served.url}{PATH}", content=body, headers={"content-encoding": encoding})

    broken, unknown = await post(b"plain", "gzip"), await post(b"plain", "compress")
    members = gzip.compress(bytes(LARGEST_BODY // 64)) * 64 + gzip.compress(b"x")
    bomb = await post(members, "gzip")
    assert [each.status_code for each in (broken, unknown, bomb)] == [400, 415, 413]
    assert "is not what its Content-Encoding says (gzip)" in broken.json()["error"]["message"]
    assert "'compress' is not supported" in unknown.json()["error"]["message"]
    assert served.not_served == {
        f"POST {PATH} (content-encoding: gzip)": 2,
        f"POST {PATH} (content-encoding: compress)": 1,
    }
    assert served.desk.recorder.trace().exchanges == ()


# --- what is refused ------------------------------------------------------------------------------------------------

PATHS = {
    "openai-responses": "/v1/v1/responses",
    "openai-chat": "/v1/v1/chat/completions",
    "anthropic-messages": "/v1/v1/messages?beta=true",
    "gemini-generate": "/v1/v1beta/models/gemini-3.6-flash:generateContent",
}


@pytest.mark.parametrize("wire", NATIVE_WIRES)
async def test_a_doubled_version_is_404_and_says_why(served: Served, wire: str) -> None:
    path = PATHS[wire]
    answer = await served.http.post(f"{served.url}{path}", content=question())
    assert answer.status_code == 404
    plain = path.partition("?")[0]
    assert f"Invalid URL (POST {plain}): the base URL ends in /v1 already" in answer.json()["error"]["message"]
    assert served.not_served == {f"POST {plain}": 1}
    assert served.desk.recorder.trace().exchanges == ()


async def test_the_sdk_shows_the_reason(served: Served) -> None:
    async with openai.AsyncOpenAI(base_url=f"{served.url}/v1/v1", api_key="harness", max_retries=0) as client:
        with pytest.raises(Exception, match="the base URL ends in /v1 already") as raised:
            await client.chat.completions.create(model="m", messages=[{"role": "user", "content": "hi"}])
    assert type(raised.value).__name__ == "NotFoundError"


@pytest.mark.parametrize(
    "path", ["/v1beta/openai/chat/completions", "/openai/v1/chat/completions", "/chat/completions"]
)
async def test_prefixes_of_compatible_servers_are_no_doubled_version(served: Served, path: str) -> None:
    assert (await served.http.post(f"{served.url}{path}", content=question())).status_code == 200


async def test_a_websocket_is_answered_426_and_counted(served: Served) -> None:
    url = f"{served.url}/v1/responses".replace("http://", "ws://")
    for _ in range(2):
        with pytest.raises(websockets.InvalidStatus) as refused:
            await websockets.connect(url, proxy=None)
        assert refused.value.response.status_code == 426
        assert b"not served; send the request over HTTP" in (refused.value.response.body or b"")
    assert served.not_served == {"GET /v1/responses (websocket)": 2}


async def test_what_is_not_served_is_counted_without_its_query_and_within_bounds(served: Served) -> None:
    for _ in range(3):
        await served.http.get(f"{served.url}/v1/files?key=secret")
    await served.http.delete(f"{served.url}/v1/{'x' * 500}")
    assert served.not_served == {"GET /v1/files": 3, f"DELETE /v1/{'x' * 189}...": 1}
    for number in range(200):
        served.endpoints.answer("GET", f"/case/a-case/v1/{number}", {}, b"")
    assert len(served.not_served) == 100


# --- tunnels to the endpoint itself -----------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_client_that_tunnels_everything_reaches_the_endpoint(served: Served, host: str) -> None:
    port = served.base.rpartition(":")[2]
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    writer.write(f"CONNECT {host}:{port} HTTP/1.1\r\nhost: {host}:{port}\r\n\r\n".encode())
    assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)).startswith(b"HTTP/1.1 200 ")
    body = question(stream=False)
    for expected in (b"HTTP/1.1 200 ", b"HTTP/1.1 400 "):  # the script has one answer
        head = f"POST /case/a-case{PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        assert (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30)).startswith(expected)
        while (size := int(await asyncio.wait_for(reader.readuntil(b"\r\n"), 30), 16)) or not await reader.readexactly(
            2
        ):
            await reader.readexactly(size + 2)
    writer.close()
    await writer.wait_closed()
    assert len(served.desk.recorder.trace().exchanges) == 2
    assert served.endpoints.blocked("a-case") == ()


async def test_a_request_that_comes_with_the_tunnel_is_answered(served: Served) -> None:
    port = served.base.rpartition(":")[2]
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    connect = f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nhost: localhost\r\n\r\n"
    writer.write(
        f"{connect}GET /case/a-case/v1/models HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n".encode()
    )
    answered = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    await writer.wait_closed()
    assert answered.startswith(b"HTTP/1.1 200 ")
    assert json.loads(answered.split(b"\r\n")[-4])["data"][0]["id"] == "gpt-4.1"


async def test_a_tunnel_to_another_port_of_this_machine_is_refused(served: Served) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(served.base.rpartition(":")[2]))
    writer.write(b"CONNECT 127.0.0.1:9 HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    assert (await asyncio.wait_for(reader.read(), 30)).startswith(b"HTTP/1.1 403 ")
    writer.close()
    await writer.wait_closed()
