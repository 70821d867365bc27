"""What clients write is read as h11, an independent implementation, wrote it, and h11 reads what the server writes."""

from __future__ import annotations

import asyncio
import json
import re
from itertools import pairwise

import h11
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.endpoint import Endpoints
from harness.endpoint.connection import Connection, Idleness, Service
from harness.endpoint.encodings import LARGEST_BODY
from harness.endpoint.http_messages import HttpRequest, NotHttp, chunks_of, end_of, head_of, protest
from harness.endpoint.request_reader import LONGEST_HEAD, RequestReader
from harness.endpoint.server import serving
from tests.endpoint.endpoint import DONE, PATH, desk, opened, question

HEAD = b"POST /v1 HTTP/1.1\r\nhost: localhost\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


def read(*pieces: bytes) -> list[HttpRequest]:
    reader, requests = RequestReader(), []
    for piece in pieces:
        reader.feed(piece)
        while (request := reader.next()) is not None:
            requests.append(request)
    return requests


def bytewise(data: bytes) -> list[bytes]:
    return [data[at : at + 1] for at in range(len(data))]


# --- requests ---------------------------------------------------------------------------------------------------------

names = st.from_regex(r"x-[a-z0-9-]{1,12}", fullmatch=True)
values = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=30)
bodies = st.lists(st.binary(min_size=1, max_size=80), max_size=4)


def written(headers: list[tuple[str, str]], pieces: list[bytes], *, chunked: bool) -> bytes:
    """A request as h11 writes it."""
    client = h11.Connection(h11.CLIENT)
    size = ("transfer-encoding", "chunked") if chunked else ("content-length", str(sum(map(len, pieces))))
    out = client.send(h11.Request(method="POST", target="/v1/x?y=1", headers=[("host", "h"), size, *headers])) or b""
    out += b"".join(client.send(h11.Data(data=piece)) or b"" for piece in pieces)
    return out + (client.send(h11.EndOfMessage()) or b"")


@settings(max_examples=60)
@given(st.dictionaries(names, values, max_size=5), bodies, st.booleans(), st.lists(st.integers(0, 600), max_size=6))
def test_what_h11_writes_is_read_however_it_is_cut(
    headers: dict[str, str], pieces: list[bytes], chunked: bool, cuts: list[int]
) -> None:
    data = written(list(headers.items()), pieces, chunked=chunked) * 2
    places = [0, *sorted(cuts), len(data)]
    requests = read(*(data[start:end] for start, end in pairwise(places)))
    assert len(requests) == 2
    for request in requests:
        assert (request.method, request.target, request.body) == ("POST", "/v1/x?y=1", b"".join(pieces))
        assert {name: value for name, value in request.headers.items() if name.startswith("x-")} == headers
        assert request.keeps_alive
        assert request.chunked


def test_several_lines_of_a_header_are_one_list() -> None:
    (request,) = read(HEAD + b"X-A: 1 \r\nx-a: 2\r\n\r\n")
    assert request.headers == {"host": "localhost", "x-a": "1, 2"}


@pytest.mark.parametrize("cut", [False, True])
def test_an_offer_of_another_protocol_is_passed_over_and_the_body_is_read(cut: bool) -> None:
    """As Java's client sends its first request."""
    offer = b"connection: Upgrade, HTTP2-Settings\r\nupgrade: h2c\r\nhttp2-settings: AAEAAEAA\r\n"
    data = HEAD + offer + b"content-length: 4\r\n\r\nbody" + HEAD + b"content-length: 3\r\n\r\ntwo"
    data += HEAD + offer + b"transfer-encoding: chunked\r\n\r\n5\r\nthree\r\n0\r\n\r\n" + HEAD + offer + b"\r\n"
    requests = read(*(bytewise(data) if cut else [data]))
    assert [each.body for each in requests] == [b"body", b"two", b"three", b""]
    assert requests[0].headers["upgrade"] == "h2c"
    assert requests[0].target == "/v1"


def test_what_follows_a_tunnel_is_kept_for_it() -> None:
    reader = RequestReader()
    reader.feed(b"CONNECT api.openai.com:443 HTTP/1.1\r\nhost: api.openai.com:443\r\n\r\n\x16\x03")
    request = reader.next()
    assert request is not None
    assert (request.method, request.target, request.keeps_alive) == ("CONNECT", "api.openai.com:443", False)
    assert reader.after_tunnel == b"\x16\x03"


@pytest.mark.parametrize(
    ("data", "keeps_alive", "chunked"),
    [
        (b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n", True, True),
        (b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n", False, True),
        (b"GET / HTTP/1.0\r\n\r\n", False, False),
        (b"GET / HTTP/1.0\r\nconnection: keep-alive\r\n\r\n", False, False),
    ],
)
def test_when_the_connection_ends(data: bytes, keeps_alive: bool, chunked: bool) -> None:
    (request,) = read(data)
    assert (request.keeps_alive, request.chunked) == (keeps_alive, chunked)


def test_who_waits_for_100_is_noticed_once() -> None:
    reader = RequestReader()
    reader.feed(HEAD + b"expect: 100-continue\r\ncontent-length: 2\r\n\r\n")
    assert [reader.takes_wait_for_100(), reader.takes_wait_for_100()] == [True, False]
    reader.feed(b"ok" + HEAD + b"expect: 100-continue\r\ncontent-length: 2\r\n\r\nok")
    assert not reader.takes_wait_for_100()  # the body came without waiting


BROKEN = {
    "no HTTP": (b"hello?\r\n\r\n", 400, "Invalid method"),
    "TLS": (b"\x16\x03\x01 this is TLS", 400, "use http:// in the base URL"),
    "HTTP/2": (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "this is HTTP/2, and the endpoint speaks HTTP/1.1"),
    "a request of HTTP/2": (b"GET / HTTP/2.0\r\nhost: localhost\r\n\r\n", 505, "HTTP/2.0 is not spoken here"),
    "HTTP/0.9": (b"GET /\r\n\r\n", 505, "HTTP/0.9 is not spoken here"),
    "chunks in HTTP/1.0": (b"POST / HTTP/1.0\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n", 400, "HTTP/1.0 has no"),
    "length and chunks": (
        HEAD + b"content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n",
        400,
        "can't be present with Content-Length",
    ),
    "two lengths": (HEAD + b"content-length: 3\r\ncontent-length: 4\r\n\r\n", 400, "Content-Length"),
    "negative length": (HEAD + b"content-length: -3\r\n\r\n", 400, "Content-Length"),
    "a length that is no number": (HEAD + b"content-length: 0x3\r\n\r\n", 400, "Content-Length"),
    "chunks before another encoding": (HEAD + b"transfer-encoding: chunked, gzip\r\n\r\n", 400, "Transfer-Encoding"),
    "another encoding below chunks": (
        HEAD + b"transfer-encoding: gzip, chunked\r\n\r\n",
        501,
        "'gzip, chunked' is not",
    ),
    "an expectation that nobody meets": (HEAD + b"expect: 200-ok\r\n\r\n", 417, "'200-ok' cannot be met"),
    "a long body": (HEAD + f"content-length: {LARGEST_BODY + 1}\r\n\r\n".encode(), 413, "larger than 67,108,864 bytes"),
    "a length of 30 digits": (HEAD + b"content-length: " + b"9" * 30 + b"\r\n\r\n", 400, "Content-Length overflow"),
    "lines that end in LF": (b"GET / HTTP/1.1\nhost: localhost\n\n", 400, "Expected CRLF"),
    "a chunk size that is none": (HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n", 400, "chunk size"),
    "NUL in a header": (HEAD + b"x: a\x00b\r\n\r\n", 400, "header"),
    "a folded header": (HEAD + b"x: a\r\n b\r\n\r\n", 400, "whitespace"),
    "a space in a name": (HEAD + b"x y: a\r\n\r\n", 400, "header"),
    "bytes in the path": (b"GET /\xff HTTP/1.1\r\nhost: localhost\r\n\r\n", 400, "url"),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", 400, "no header Host"),
    "two hosts": (b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400, "two hosts"),
    "a long head": (HEAD + b"x: " + b"y" * LONGEST_HEAD, 431, "longer than 65,536 bytes"),
    "a long line": (b"GET /" + b"y" * LONGEST_HEAD, 431, "longer than 65,536 bytes"),
}


@pytest.mark.parametrize("cut", [False, True], ids=["at-once", "cut"])
@pytest.mark.parametrize(("data", "status", "why"), BROKEN.values(), ids=BROKEN.keys())
def test_what_is_broken_is_refused_behind_what_is_not(data: bytes, status: int, why: str, cut: bool) -> None:
    reader = RequestReader()
    good = HEAD + b"content-length: 2\r\n\r\nok"
    step = 7 if cut else len(data)
    for piece in (good, *(data[at : at + step] for at in range(0, len(data), step))):
        reader.feed(piece)
    first = reader.next()
    assert first is not None
    assert first.body == b"ok"
    with pytest.raises(NotHttp, match=re.escape(why)) as refused:
        reader.next()
    assert refused.value.status == status


def test_a_long_body_is_no_long_head() -> None:
    (request,) = read(HEAD + b"content-length: 200000\r\n\r\n", *[bytes(50_000)] * 4)
    assert len(request.body) == 200_000


@pytest.mark.parametrize("begin", [b"1\r\na\r\n0\r\nx: ", b"1;x="], ids=["trailer", "extension"])
def test_what_frames_a_body_is_bounded(begin: bytes) -> None:
    with pytest.raises(NotHttp, match="what frames the body is longer than 65,536 bytes") as refused:
        read(CHUNKED + begin, *[b"y" * 1000] * 100)
    assert refused.value.status == 431


def test_a_trailer_says_nothing() -> None:
    """It came behind the checks of the head: a host or an encoding there would get by them."""
    (request,) = read(CHUNKED + b"1;a=b\r\na\r\n0\r\nhost: evil.example\r\ncontent-encoding: gzip\r\n\r\n")
    assert request.headers == {"host": "localhost", "transfer-encoding": "chunked"}
    assert request.body == b"a"


@pytest.mark.parametrize("data", [b"P", HEAD, HEAD + b"content-length: 3\r\n\r\nab", CHUNKED + b"3\r\nab"])
def test_a_request_that_ends_too_early_is_broken(data: bytes) -> None:
    reader = RequestReader()
    reader.feed(HEAD + b"\r\n" + data)
    reader.ended()
    assert reader.next() is not None
    with pytest.raises(NotHttp, match="the connection ended inside the") as refused:
        reader.next()
    assert refused.value.status == 400


@pytest.mark.parametrize("data", [b"", b"\r\n", HEAD + b"\r\n", HEAD + b"\r\n\r\n"])
def test_a_connection_may_end_between_requests(data: bytes) -> None:
    reader = RequestReader()
    reader.feed(data)
    reader.ended()
    assert [reader.next() is None, reader.next()] == [b"POST" not in data, None]


def test_head_is_refused_without_a_body() -> None:
    reader = RequestReader()
    reader.feed(b"HEAD / HTTP/1.1\r\n\r\n")
    with pytest.raises(NotHttp) as refused:
        reader.next()
    head, _, body = protest(refused.value).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert body == b""


def test_the_method_of_the_last_request_says_nothing_of_bytes_that_are_none() -> None:
    reader = RequestReader()
    reader.feed(b"HEAD / HTTP/1.1\r\nhost: localhost\r\n\r\n\x16\x03\x01")
    assert reader.next() is not None
    with pytest.raises(NotHttp) as refused:
        reader.next()
    assert protest(refused.value).endswith(b"}")


@pytest.mark.parametrize("step", [1000, LONGEST_HEAD, 10 * LONGEST_HEAD])
def test_a_long_head_is_refused_wherever_it_begins(step: int) -> None:
    data = HEAD + b"\r\n" + HEAD + b"x: " + b"y" * LONGEST_HEAD + b"\r\n\r\n"
    with pytest.raises(NotHttp, match="longer than 65,536 bytes"):
        read(*[data[at : at + step] for at in range(0, len(data), step)])


# --- responses --------------------------------------------------------------------------------------------------------

GET = HttpRequest("GET", "/", {}, b"")


def heard(request: HttpRequest, status: int, pieces: list[bytes], headers: dict[str, str] | None = None) -> bytes:
    """A response as h11 reads it; raises where it is none. Checks that nothing is left over."""
    client = h11.Connection(h11.CLIENT)
    client.send(h11.Request(method=request.method, target="/", headers=[("host", "x")]))
    client.send(h11.EndOfMessage())
    client.receive_data(head_of(status, headers or {"content-type": "text/plain"}, request))
    client.receive_data(b"".join(chunks_of(pieces, status, request)) + end_of(status, request))
    if not request.keeps_alive:
        client.receive_data(b"")
    response, body = client.next_event(), b""
    assert isinstance(response, h11.Response)
    assert response.status_code == status
    while isinstance(event := client.next_event(), h11.Data):
        body += event.data
    assert isinstance(event, h11.EndOfMessage)
    assert not client.trailing_data[0]
    assert (client.our_state is h11.MUST_CLOSE) == (not request.keeps_alive)
    return body


@pytest.mark.parametrize("pieces", [[], [b"a"], [b"a", b"", b"bc" * 5000]])
def test_h11_reads_what_is_written(pieces: list[bytes]) -> None:
    body = b"".join(pieces)
    assert heard(GET, 200, pieces) == body
    assert heard(HttpRequest("GET", "/", {}, b"", keeps_alive=False), 200, pieces) == body
    assert heard(HttpRequest("GET", "/", {}, b"", keeps_alive=False, chunked=False), 200, pieces) == body
    assert heard(HttpRequest("HEAD", "/", {}, b""), 200, pieces) == b""
    assert heard(GET, 204, pieces) == b""


def test_a_header_cannot_add_another() -> None:
    head = head_of(200, {"x-id": "1\r\nset-cookie: a=b", "x\nb": "2"}, GET)
    assert head.split(b"\r\n")[1:3] == [b"x-id: 1  set-cookie: a=b", b"x b: 2"]


# --- over a socket ----------------------------------------------------------------------------------------------------


async def answered(base: str, data: bytes, *, end: bool = True) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
    writer.write(data)
    if end:
        writer.write_eof()
    text = await asyncio.wait_for(reader.read(), 30)
    writer.close()
    await writer.wait_closed()
    return text


@pytest.mark.anyio
@pytest.mark.parametrize(("data", "status", "why"), BROKEN.values(), ids=BROKEN.keys())
async def test_each_broken_request_is_answered_and_the_service_goes_on(data: bytes, status: int, why: str) -> None:
    async with serving(opened(desk([DONE]))) as base:
        text = await answered(base, data, end=False)
        head, _, body = text.partition(b"\r\n\r\n")
        assert head.startswith(f"HTTP/1.1 {status} ".encode())
        assert why in json.loads(body)["error"]["message"]
        asked = question(stream=False)
        good = (
            f"POST /case/a-case{PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-length: {len(asked)}\r\n\r\n".encode()
            + asked
        )
        assert b"All done." in await answered(base, good)


@pytest.mark.anyio
async def test_requests_behind_each_other_are_answered_in_order() -> None:
    head = b"GET /nothing%d HTTP/1.1\r\nhost: localhost\r\n\r\n"
    async with serving(Endpoints()) as base:
        text = await answered(base, b"".join(head % number for number in range(5)))
    assert re.findall(rb"/nothing(\d)", text) == [b"0", b"1", b"2", b"3", b"4"]


@pytest.mark.anyio
async def test_a_client_that_waits_for_100_is_asked_to_go_on() -> None:
    asked = question(stream=False)
    head = f"POST /case/a-case{PATH} HTTP/1.1\r\nhost: localhost\r\nexpect: 100-continue\r\n"
    head += f"content-length: {len(asked)}\r\n\r\n"
    async with serving(opened(desk([DONE]))) as base:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base.rpartition(":")[2]))
        writer.write(head.encode())
        assert await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 30) == b"HTTP/1.1 100 Continue\r\n\r\n"
        writer.write(asked)
        assert (await asyncio.wait_for(reader.readline(), 30)).startswith(b"HTTP/1.1 200 ")
        writer.close()
        await writer.wait_closed()


class _Gone:
    """The side of a connection whose client has gone, which nobody has noticed yet."""

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        raise OSError(107, "Transport endpoint is not connected")


@pytest.mark.anyio
async def test_a_client_that_has_gone_needs_no_parting() -> None:
    connection = Connection(Service(Endpoints()), asyncio.StreamReader(), _Gone(), Idleness())  # type: ignore[arg-type]
    await asyncio.wait_for(connection._linger(), 5)
