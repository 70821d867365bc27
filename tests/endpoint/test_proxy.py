"""The endpoint as the proxy of loops: whatever would leave the machine is refused, and told of its case."""

from __future__ import annotations

import asyncio
import base64

import pytest

from harness.endpoint import Endpoints, ResponsePlan
from harness.endpoint.loopback import is_loopback
from harness.endpoint.server import serving
from tests.endpoint.endpoint import desk, opened

CASE = "answer.openai-chat.event"
USER = {"Proxy-Authorization": "Basic " + base64.b64encode(f"{CASE}:harness".encode()).decode()}


@pytest.fixture
def endpoints() -> Endpoints:
    return opened(desk((), name=CASE))


def asked(endpoints: Endpoints, method: str, target: str, headers: dict[str, str] = USER) -> tuple[int, bytes]:
    _, _, answer = endpoints.answer(method, target, headers, b"")
    assert isinstance(answer, ResponsePlan)
    return answer.status, b"".join(answer.chunks)


@pytest.mark.parametrize(
    ("method", "target", "told"),
    [
        ("CONNECT", "api.example.invalid:443", "CONNECT api.example.invalid:443"),
        ("GET", "http://me:secret@192.0.2.1:81/v1/models?key=secret", "GET http://192.0.2.1:81/v1/models"),
        ("POST", f"https://api.example.invalid/case/{CASE}/x", f"POST https://api.example.invalid/case/{CASE}/x"),
        ("GET", "http://[nonsense/", "GET http://[nonsense/"),
    ],
)
def test_what_would_leave_the_machine_is_refused_and_told(
    method: str, target: str, told: str, endpoints: Endpoints
) -> None:
    for _ in range(2):
        status, body = asked(endpoints, method, target)
        assert status == 403
        assert b"outbound traffic is not allowed" in body
    assert endpoints.blocked(CASE) == (told,)
    endpoints.close(CASE)
    assert endpoints.blocked(CASE) == ()


@pytest.mark.parametrize("headers", [{}, {"proxy-authorization": "Basic %%%"}, {"proxy-authorization": "Bearer x"}])
def test_without_the_name_of_a_case_it_is_refused_and_belongs_to_the_only_one_that_is_open(
    headers: dict[str, str], endpoints: Endpoints
) -> None:
    assert asked(endpoints, "CONNECT", "api.example.invalid:443", headers)[0] == 403
    assert endpoints.blocked(CASE) == ("CONNECT api.example.invalid:443",)


@pytest.mark.parametrize("headers", [{}, {"proxy-authorization": "Bearer x"}])
def test_where_several_are_open_it_is_refused_and_belongs_to_none(
    headers: dict[str, str], endpoints: Endpoints
) -> None:
    endpoints.open("another", desk(()))
    assert asked(endpoints, "CONNECT", "api.example.invalid:443", headers)[0] == 403
    assert (endpoints.blocked(CASE), endpoints.blocked("another")) == ((), ())


def test_the_name_of_a_case_that_is_closed_is_that_of_no_other(endpoints: Endpoints) -> None:
    endpoints.open("another", desk(()))
    endpoints.close(CASE)
    assert asked(endpoints, "CONNECT", "api.example.invalid:443")[0] == 403
    assert endpoints.blocked("another") == ()


def test_a_client_that_asks_the_endpoint_by_way_of_the_proxy_is_served(endpoints: Endpoints) -> None:
    there = asked(endpoints, "GET", f"http://127.0.0.1:8000/case/{CASE}/v1/nothing?x=1")
    assert there == asked(endpoints, "GET", f"/case/{CASE}/v1/nothing?x=1")
    assert there[0] == 404


def test_a_tunnel_to_this_machine_is_refused_and_no_finding(endpoints: Endpoints) -> None:
    assert asked(endpoints, "CONNECT", "localhost:8000")[0] == 403
    assert endpoints.blocked(CASE) == ()


@pytest.mark.anyio
async def test_over_the_socket(endpoints: Endpoints) -> None:
    async with serving(endpoints) as base_url:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(base_url.rpartition(":")[2]))
        lines = ["CONNECT api.example.invalid:443 HTTP/1.1", "host: api.example.invalid:443", "connection: close"]
        lines += [f"{name}: {value}" for name, value in USER.items()]
        writer.write("".join(f"{line}\r\n" for line in [*lines, ""]).encode())
        answered = await reader.read()
        writer.close()
    assert answered.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert endpoints.blocked(CASE) == ("CONNECT api.example.invalid:443",)


HERE = "localhost LOCALHOST. a.localhost 127.0.0.1 127.9.9.9 ::1 [::1] 0.0.0.0 :: ::ffff:127.0.0.1"
ELSEWHERE = "localhost.example.invalid 192.0.2.1 10.0.0.1 fe80::1%eth0 ::ffff:192.0.2.1 invalid"


def test_which_hosts_are_this_machine() -> None:
    assert [host for host in HERE.split() if not is_loopback(host)] == []
    assert [host for host in ["", *ELSEWHERE.split()] if is_loopback(host)] == []
