"""Who is asked while somebody records, and with which key."""

from __future__ import annotations

import pytest

from harness.cassette.upstream import Upstream, scripted_upstream, upstream_of
from harness.errors import BadInput
from harness.wire import WIRES, WireName
from tests.case_tables import from_table

KEYS = {
    "OPENAI_API_KEY": "a-key-of-openai",
    "ANTHROPIC_API_KEY": "a-key-of-anthropic",
    "GEMINI_API_KEY": "a-key-of-google",
}
LOOP = {
    "Authorization": "Bearer the-loops-own",
    "X-Api-Key": "the-loops-own",
    "x-goog-api-key": "the-loops-own",
    "Cookie": "session=the-loops-own",
    "Proxy-Authorization": "Basic the-loops-own",
    "Host": "127.0.0.1:1",
    "Content-Length": "2",
    "Accept-Encoding": "gzip, br",
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
}


def sent(upstream: Upstream, path: str = "/v1/responses") -> dict[str, str]:
    return dict(upstream.request("POST", path, LOOP, b"{}").headers.items())


@from_table(__file__, "test_the_provider_gets_the_key_of_the_environment_and_never_that_of_the_loop")
def test_the_provider_gets_the_key_of_the_environment_and_never_that_of_the_loop(
    wire: WireName, host: str, header: str, value: str
) -> None:
    upstream = upstream_of(wire, None, KEYS)
    request = upstream.request("POST", "/v1/x?alt=sse&key=the-loops-own", LOOP, b"{}")
    assert request.url.scheme == "https"
    assert request.url.host == host
    assert str(request.url).endswith("/v1/x?alt=sse")
    assert request.headers[header] == value
    assert not [pair for pair in request.headers.items() if "the-loops-own" in pair[1]]
    assert list(upstream.secrets.values()) == [value.removeprefix("Bearer ")]


def test_what_belongs_to_the_connection_stays_and_the_answer_is_asked_for_plain() -> None:
    headers = sent(upstream_of("anthropic-messages", None, KEYS))
    assert headers["accept-encoding"] == "identity"
    assert headers["anthropic-version"] == "2023-06-01"
    assert headers["host"] == "api.anthropic.com"
    assert headers["content-length"] == "2"


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("base", ["http://127.0.0.1:8080", "http://localhost:8080/v1", "http://[::1]:8080/"])
def test_a_server_on_this_machine_gets_no_key(wire: WireName, base: str) -> None:
    upstream = upstream_of(wire, base, KEYS)
    assert upstream.is_local
    assert upstream.secrets == {}
    assert upstream.url("/v1/messages") == base.removesuffix("/").removesuffix("/v1") + "/v1/messages"
    assert not [value for value in sent(upstream).values() if "a-key-of" in value]


def test_another_server_gets_the_key_over_tls_only() -> None:
    assert sent(upstream_of("openai-chat", "https://models.example/api", KEYS))["authorization"].endswith("-openai")
    with pytest.raises(BadInput, match="must not leave this machine in clear; use https"):
        upstream_of("openai-chat", "http://models.example", KEYS)


def test_google_calls_its_key_by_two_names() -> None:
    assert upstream_of("gemini-generate", None, {"GOOGLE_API_KEY": "other"}).key == "other"


@pytest.mark.parametrize("wire", WIRES)
def test_without_a_key_nobody_is_asked(wire: WireName) -> None:
    with pytest.raises(BadInput, match=r"no key for https://.+: set [A-Z]+_API_KEY"):
        upstream_of(wire, None, {"OPENAI_API_KEY": "", "ANTHROPIC_API_KEY": ""})


@pytest.mark.parametrize("base", ["models.example", "ftp://models.example", "http://", "models.socket:"])
def test_what_is_no_server_is_told(base: str) -> None:
    with pytest.raises(BadInput, match="expected the URL of a server"):
        upstream_of("openai-chat", base, KEYS)


def test_a_script_is_recorded_under_the_providers_address() -> None:
    upstream = scripted_upstream("gemini-generate")
    assert upstream.is_local
    assert upstream.url("/v1beta/models/m:generateContent").startswith("https://generativelanguage.googleapis.com/v1b")
