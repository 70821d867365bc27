"""Recording and replaying in process: against a server on loopback, and then without it."""

from __future__ import annotations

import contextlib
import http.client
import io
import os
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import aiohttp
import anyio
import httpx2
import pytest
import requests

from harness.cassette import Interaction, Missed, Unplayed, read_cassette, use
from harness.cassette.cassette_writer import Mode
from harness.errors import BadInput
from tests.cassette.clients import LIBRARIES, SDKS, Ask
from tests.cassette.plain_vcr import replayed
from tests.cassette.upstream import ANSWERS, upstream
from tests.sdks import anthropic, vcr

HELLO = "héllo ✓".encode()
ask = LIBRARIES["httpx2"]


@pytest.fixture
def tape_path(tmp_path: Path) -> Path:
    return tmp_path / "tapes" / "one.yaml"


def record(path: Path, *bodies: Any, mode: Mode = "once", to: str = "/json") -> str:
    """Ask a server for each body, one after the other; it is down when this returns. Returns the URL that it had."""
    with upstream() as server, use(path, mode):
        for body in bodies:
            ask(server.url, to, body)
    assert len(server.got) == len(bodies)
    return server.url


def files(path: Path) -> list[str]:
    """What lies beside a cassette and is one."""
    return sorted(each.name for each in path.parent.glob("*.yaml"))


# --- every client -------------------------------------------------------------------------------------------


UNPACK = LIBRARIES.keys() - {"urllib"}


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    ("client", "path"),
    [*product(LIBRARIES, ["/json", "/events", "/empty"]), *product(sorted(UNPACK), ["/events?packed"])],
)
def test_what_a_library_recorded_it_gets_again(client: str, path: str, tape_path: Path) -> None:
    answer = ANSWERS[path.partition("?")[0]][1]
    again(LIBRARIES[client], path, {"prompt": "é", "n": [1, None]}, answer, tape_path)
    (interaction,) = read_cassette(tape_path).interactions
    assert (interaction.response, interaction.delivery) == (answer, None)


@pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")  # google-genai inherits from aiohttp's
@pytest.mark.parametrize("sdk", SDKS)
def test_what_an_sdk_recorded_it_gets_again(sdk: str, tape_path: Path) -> None:
    again(SDKS[sdk], "", {"prompt": "hi"}, HELLO, tape_path)


def again(client: Ask, path: str, body: Any, answer: bytes, tape: Path) -> None:
    with upstream() as server, use(tape):
        assert client(server.url, path, body) == answer
    assert len(server.got) == 1
    with pytest.raises(OSError, match="refused"):  # what comes from now on does not come from the server
        LIBRARIES["urllib"](server.url, "/json", {})
    text = tape.read_bytes()
    for mode in ("once", "none", "new_episodes"):
        with use(tape, mode) as opened:
            assert client(server.url, path, body) == answer
            assert opened.records == (mode == "new_episodes")
    assert tape.read_bytes() == text


@pytest.mark.sampled(3)
@pytest.mark.parametrize("recorder", LIBRARIES)
def test_any_library_replays_what_another_recorded(recorder: str, tape_path: Path) -> None:
    with upstream() as server, use(tape_path):
        for _ in LIBRARIES:
            LIBRARIES[recorder](server.url, "/events", {"a": 1})
    with use(tape_path):
        for client in LIBRARIES.values():
            assert client(server.url, "/events", {"a": 1}) == ANSWERS["/events"][1]


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/messages", "/v1beta/models/m:streamGenerateContent"])
def test_plain_vcrpy_replays_what_is_written_here(path: str, tape_path: Path) -> None:
    record(tape_path, {"a": 1}, {"a": 1, "b": [2]}, to=path)
    assert replayed(tape_path) == [ANSWERS[path][1]] * 2


def test_plain_vcrpy_replays_what_aiohttp_asked_with_an_object(tape_path: Path) -> None:
    path = "/v1/chat/completions"
    with upstream() as server, use(tape_path):
        LIBRARIES["aiohttp-json"](server.url, path, {"a": 1})
    assert replayed(tape_path) == [ANSWERS[path][1]]


def test_what_plain_vcrpy_wrote_is_replayed_here(tape_path: Path) -> None:
    tape_path.parent.mkdir()
    with upstream() as server, vcr.use_cassette(tape_path):
        ask(server.url, "/events?packed", {"a": 1})
    with use(tape_path):
        assert ask(server.url, "/events?packed", {"a": 1}) == ANSWERS["/events"][1]


# --- what matches -------------------------------------------------------------------------------------------


def test_a_body_in_another_order_means_the_same(tape_path: Path) -> None:
    url = record(tape_path, {"a": 1, "b": {"c": 2, "d": 3}})
    with use(tape_path):
        ask(url, "/json", {"b": {"d": 3, "c": 2}, "a": 1})
    with pytest.raises(Missed), use(tape_path):
        ask(url, "/json", {"b": {"d": 3, "c": 4}, "a": 1})


@pytest.mark.parametrize("client", LIBRARIES)
def test_another_host_is_no_other_request(client: str, tape_path: Path) -> None:
    record(tape_path, {"a": 1})
    with use(tape_path):
        assert LIBRARIES[client]("https://model.example", "/json", {"a": 1}) == ANSWERS["/json"][1]


def test_a_kept_connection_over_tls(tape_path: Path) -> None:
    bodies = [{"n": 1}, {"n": 2}, {"n": 1}, {"n": 1}]
    record(tape_path, *bodies)
    with use(tape_path, "new_episodes"), requests.Session() as session:
        for body in bodies:
            assert session.post("https://model.example/json", json=body, timeout=10).content == ANSWERS["/json"][1]


def test_a_connection_that_connects_again_asks_once_for_each_request(tape_path: Path) -> None:
    record(tape_path, 1, 2)
    with use(tape_path):
        connection = http.client.HTTPConnection("model.example")
        for body in ("1", "2"):
            connection.request("POST", "/json", body)
            connection.connect()
            assert connection.getresponse().read() == ANSWERS["/json"][1]
            connection.connect()


def test_a_request_without_a_body(tape_path: Path) -> None:
    ways = (httpx2.get, requests.get, httpx2.get)
    with upstream() as server, use(tape_path):
        for get in ways:
            get(f"{server.url}/json")
    with use(tape_path):
        for get in (requests.get, requests.get, httpx2.get):
            assert get(f"{server.url}/json").content == ANSWERS["/json"][1]


def test_parallel_requests_are_not_confused(tape_path: Path) -> None:
    bodies = [{"n": number} for number in range(6)]
    url = record(tape_path, *bodies)
    got: dict[int, int] = {}

    async def all_at_once() -> None:
        async with httpx2.AsyncClient() as client, anyio.create_task_group() as tasks:
            for body in reversed(bodies):
                tasks.start_soon(one, client, body)

    async def one(client: httpx2.AsyncClient, body: dict[str, int]) -> None:
        response = await client.post(url + "/json", json=body)
        got[body["n"]] = response.status_code

    with use(tape_path):
        anyio.run(all_at_once)
    assert got == dict.fromkeys(range(6), 200)


def test_threads_share_a_cassette(tape_path: Path) -> None:
    with upstream() as server, use(tape_path):
        in_threads(server.url)
    assert sorted(server.got) == sorted(one.request or b"" for one in read_cassette(tape_path).interactions)
    with use(tape_path):
        in_threads(server.url)


def in_threads(url: str) -> None:
    threads = [threading.Thread(target=ask, args=(url, "/json", {"n": number})) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_modes(tape_path: Path) -> None:
    url = record(tape_path, {"a": 1})
    with upstream() as server, use(tape_path, "new_episodes"):
        ask(server.url, "/json", {"a": 1})
        ask(server.url, "/json", {"a": 2})
        ask(server.url, "/json", {"a": 2})
    assert [one.request for one in read_cassette(tape_path).interactions] == [b'{"a":1}', b'{"a":2}', b'{"a":2}']
    assert server.got == [b'{"a":2}', b'{"a":2}']
    record(tape_path, {"a": 3}, mode="all")
    assert [one.request for one in read_cassette(tape_path).interactions] == [b'{"a":3}']
    with use(tape_path, "none"):
        ask(url, "/json", {"a": 3})


def test_a_response_that_breaks_off_is_the_clients_and_not_recorded(tape_path: Path) -> None:
    with upstream() as server, use(tape_path):
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(server.url, "/events?cut", {})
        ask(server.url, "/events", {})
    (interaction,) = read_cassette(tape_path).interactions
    assert interaction.url == f"{server.url}/events"


# --- what fails ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("client", LIBRARIES)
def test_a_miss_is_told_where_it_happens(client: str, tape_path: Path) -> None:
    url = record(tape_path, {"prompt": "Hello"})
    with pytest.raises(Missed) as caught, use(tape_path):
        LIBRARIES[client](url, "/json", {"prompt": "Hello!"})
    (miss,) = caught.value.misses
    assert miss.kind == "changed"
    assert str(caught.value).startswith(str(miss))
    assert "mode 'all'" in str(caught.value)


@pytest.mark.filterwarnings("ignore:Inheritance class:DeprecationWarning")
@pytest.mark.parametrize("sdk", SDKS)
def test_a_miss_is_told_whatever_an_sdk_makes_of_it(sdk: str, tape_path: Path) -> None:
    with upstream() as server, use(tape_path):
        SDKS[sdk](server.url, "", {"prompt": "hi"})
    with pytest.raises(Missed) as caught, use(tape_path):
        SDKS[sdk](server.url, "", {"prompt": "hello"})
    assert str(caught.value).count(str(caught.value.misses[0])) == 1, "a retry of the SDK is the same miss"


def test_what_the_sdk_said_of_a_miss_is_its_cause(tape_path: Path) -> None:
    url = record(tape_path, {"a": 1}, to="/v1/messages")
    with pytest.raises(Missed) as caught, use(tape_path):
        SDKS["anthropic"](url, "", {"prompt": "hi"})
    assert isinstance(caught.value.__cause__, anthropic.APIConnectionError)
    assert len(caught.value.misses) == 2


def test_a_miss_that_is_swallowed_is_told_at_the_end(tape_path: Path) -> None:
    url = record(tape_path, {"a": 1})
    got: list[bytes] = []

    @use(tape_path)
    def careless() -> None:
        with contextlib.suppress(Exception):
            ask(url, "/json", {"a": 2})
        got.append(ask(url, "/json", {"a": 1}))

    with pytest.raises(Missed):
        careless()
    assert got == [ANSWERS["/json"][1]]


def test_what_is_not_asked_for_is_an_error(tape_path: Path) -> None:
    url = record(tape_path, {"a": 1}, {"a": 2})
    message = r"one\.yaml:\d+: POST http://127.*/json was not asked for"
    with pytest.raises(Unplayed, match=message) as caught, use(tape_path):
        ask(url, "/json", {"a": 2})
    (left,) = caught.value.interactions
    assert left.request == b'{"a":1}'
    assert f"{tape_path}:{left.line}:" in str(caught.value)


def test_an_error_of_the_test_itself_stays_as_it_is(tape_path: Path) -> None:
    record(tape_path, {"a": 1})
    with pytest.raises(ZeroDivisionError), use(tape_path):
        raise ZeroDivisionError


def test_an_error_while_recording_leaves_the_old_cassette(tape_path: Path) -> None:
    record(tape_path, {"a": 1})
    old = tape_path.read_bytes()
    with upstream() as server, pytest.raises(ZeroDivisionError), use(tape_path, "all"):
        raise ZeroDivisionError(ask(server.url, "/json", {"a": 2}))
    assert tape_path.read_bytes() == old
    (name,) = set(files(tape_path)) - {tape_path.name}
    assert [one.request for one in read_cassette(tape_path.parent / name).interactions] == [b'{"a":2}']


def test_a_mode_that_is_none_is_refused(tape_path: Path) -> None:
    mode: Any = "onse"
    with pytest.raises(BadInput, match="none, once, new_episodes, all; got 'onse'"), use(tape_path, mode):
        pytest.fail("opened")


@pytest.mark.parametrize("content", [b"\xff\xfe\x00", b"version: 1\ninteractions:\n- request: {", b"- !!python/x y\n"])
@pytest.mark.parametrize("mode", ["once", "none", "new_episodes"])
def test_a_file_that_cannot_be_read_is_refused_and_left(mode: Mode, content: bytes, tape_path: Path) -> None:
    tape_path.parent.mkdir()
    tape_path.write_bytes(content)
    with pytest.raises(BadInput, match=r"one\.yaml"), use(tape_path, mode):
        pytest.fail("opened")
    assert tape_path.read_bytes() == content


def test_a_response_that_cannot_be_unpacked_is_refused(tape_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ANSWERS, "/json", ("application/json", b"\x28\xb5\x2f\xfd not text \xff"))
    with upstream() as server, pytest.raises(BadInput, match="zstd"), use(tape_path), contextlib.suppress(Exception):
        ask(server.url, "/json", {})
    assert not tape_path.exists()


def test_a_form_of_aiohttp_is_refused(tape_path: Path) -> None:
    """vcrpy sees the object, not what it becomes; two of them could not be told apart."""

    async def asked(url: str) -> None:
        async with aiohttp.ClientSession() as session:
            await session.post(f"{url}/json", data=aiohttp.FormData({"a": "b"}))

    with (
        upstream() as server,
        pytest.raises(BadInput, match="/json: expected a body of bytes, text or JSON, got FormData"),
        use(tape_path),
    ):
        anyio.run(asked, server.url)
    assert server.got == []


@pytest.mark.parametrize("body", ["a=1", b"a=1", io.BytesIO(b"a=1"), {"a": "1"}], ids=["text", "bytes", "file", "form"])
def test_bodies_of_every_form(body: Any, tape_path: Path) -> None:
    with upstream() as server, use(tape_path):
        requests.post(f"{server.url}/json", data=body, timeout=10)
    assert server.got == [b"a=1"]
    (interaction,) = read_cassette(tape_path).interactions
    assert interaction.request == b"a=1"


# --- secrets ------------------------------------------------------------------------------------------------

KEY = "-".join(["sk", "proj", "A" * 10 + "b7" * 20])
OWN = "".join(["tower", "-of-", "babel-", "4711"])


def planted(url: str) -> bytes:
    with httpx2.Client(headers={"authorization": f"Bearer {KEY}", "x-api-key": KEY}) as client:
        return client.post(f"{url}/json?key={KEY}", json={"key": KEY, "own": f"it is {OWN}"}).content


def test_secrets_are_not_kept_and_do_not_hinder_replay(tape_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ANSWERS, "/json", ("application/json", f'{{"echo": "{KEY} {OWN}"}}'.encode()))
    with upstream() as server, use(tape_path, values={"tower": OWN}):
        assert KEY.encode() in planted(server.url), "what is tested gets what the server said"
    written = tape_path.read_text()
    assert KEY not in written
    assert OWN not in written
    with use(tape_path, values={"tower": OWN}):
        assert KEY.encode() not in planted(server.url)


class Lax:
    """A redactor that takes nothing out."""

    def redact(self, interaction: Interaction) -> Interaction:
        return interaction

    def redact_url(self, url: str) -> str:
        return url

    def redact_headers(self, headers: Any) -> Any:
        return headers

    def redact_body(self, body: bytes, content_type: str) -> bytes:
        return body

    def redact_text(self, text: str) -> str:
        return text


def test_a_file_that_would_leak_is_not_kept(tape_path: Path) -> None:
    record(tape_path, {"a": 1})
    old = tape_path.read_bytes()
    lax: Any = Lax()
    hidden = contextlib.suppress(Exception)
    with upstream() as server, pytest.raises(BadInput) as caught, use(tape_path, "all", redactor=lax), hidden:
        planted(server.url)
    assert KEY not in str(caught.value)
    assert tape_path.read_bytes() == old
    for left in tape_path.parent.iterdir():
        assert KEY.encode() not in left.read_bytes(), left.name


# --- one at a time ------------------------------------------------------------------------------------------


def test_a_cassette_in_a_cassette_is_refused(tape_path: Path, tmp_path: Path) -> None:
    with upstream() as server, use(tape_path):
        with (
            pytest.raises(BadInput, match=r"other\.yaml: .*one\.yaml is open in this process"),
            use(tmp_path / "other.yaml"),
        ):
            pytest.fail("opened")
        ask(server.url, "/json", {})
    assert len(read_cassette(tape_path).interactions) == 1
    with use(tape_path):
        ask(server.url, "/json", {})


def test_a_cassette_in_a_thread_beside_is_refused(tape_path: Path, tmp_path: Path) -> None:
    caught: list[Exception] = []

    def beside() -> None:
        try:
            with use(tmp_path / "other.yaml"):
                caught.append(AssertionError("opened"))
        except BadInput as error:
            caught.append(error)

    with use(tape_path):
        thread = threading.Thread(target=beside)
        thread.start()
        thread.join()
    assert [type(error) for error in caught] == [BadInput]


def test_a_cassette_in_one_of_vcrpys_own_is_refused(tape_path: Path, tmp_path: Path) -> None:
    with vcr.use_cassette(tmp_path / "theirs.yaml"), pytest.raises(BadInput, match="vcrpy's own"), use(tape_path):
        pytest.fail("opened")


def test_nothing_stays_patched(tape_path: Path) -> None:
    sending = [httpx2.HTTPTransport.handle_request, httpx2.AsyncHTTPTransport.handle_async_request]
    with contextlib.suppress(ZeroDivisionError), use(tape_path):
        assert httpx2.HTTPTransport.handle_request is not sending[0]
        raise ZeroDivisionError
    assert [httpx2.HTTPTransport.handle_request, httpx2.AsyncHTTPTransport.handle_async_request] == sending
    with upstream() as server:
        requests.post(f"{server.url}/json", data=b"x", timeout=10)
    assert server.got == [b"x"]


# --- as a decorator, and without vcrpy ----------------------------------------------------------------------


def test_a_decorated_function_opens_it_each_time(tape_path: Path) -> None:
    url = record(tape_path, {"a": 1})

    @use(tape_path)
    def asked(body: Any) -> bytes:
        """Says so."""
        return ask(url, "/json", body)

    assert asked({"a": 1}) == asked(body={"a": 1}) == ANSWERS["/json"][1]
    assert (asked.__name__, asked.__doc__) == ("asked", "Says so.")


def test_a_decorated_coroutine_function_is_awaited_inside(tape_path: Path) -> None:
    url = record(tape_path, {"a": 1})

    @use(tape_path)
    async def asked(body: Any) -> int:
        async with httpx2.AsyncClient() as client:
            return (await client.post(f"{url}/json", json=body)).status_code

    async def twice() -> list[int]:
        return [await asked({"a": 1}), await asked({"a": 1})]

    assert anyio.run(twice) == [200, 200]
    with pytest.raises(Missed):
        anyio.run(asked, {"a": 2})


def test_a_generator_cannot_be_decorated(tape_path: Path) -> None:
    def asked() -> Iterator[int]:
        yield 1

    with pytest.raises(BadInput, match="is a generator"):
        use(tape_path)(asked)


def test_without_vcrpy_it_says_what_to_install(tape_path: Path) -> None:
    code = f"""
        import sys
        sys.modules["vcr"] = None
        from harness.cassette import use
        from harness.errors import BadInput
        try:
            with use({str(tape_path)!r}):
                raise SystemExit("opened")
        except BadInput as error:
            print(error)
    """
    told = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, env=os.environ)
    assert "pip install 'agent-loop-harness[vcr]'" in told.stdout, told.stderr
    assert not tape_path.exists()
