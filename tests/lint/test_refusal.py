"""Error bodies in the forms of providers and compatible servers, and the violation that explains one."""

from __future__ import annotations

import json

import pytest

from harness.finding import Finding, Level, ProviderAnswer
from harness.lint import explain, message_of
from harness.wire import route_of


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "M", "type": "t"}},
        {"type": "error", "error": {"type": "t", "message": "M"}},
        {"error": "M"},
        {"code": "c", "error": "M"},
        {"object": "error", "message": "M", "code": "1500"},
        {"detail": [{"type": "enum", "msg": "M"}]},
        [{"error": {"code": 400, "message": "M"}}],
    ],
)
def test_the_message_of_an_error(body: object) -> None:
    assert message_of(json.dumps(body).encode()) == "M"


@pytest.mark.parametrize(("body", "message"), [(None, ""), (b" <html> ", "<html>"), (b"{}", "{}"), (b"\xff", "�")])
def test_a_body_without_a_message_is_told_as_it_is(body: bytes | None, message: str) -> None:
    assert message_of(body) == message


def finding(level: Level, message: str) -> Finding:
    return Finding("", level, "", None, "this", "that", provider=ProviderAnswer(message))


def test_the_violation_that_says_the_same_explains_a_refusal() -> None:
    likely = finding("SHOULD", "likely")
    certain = finding("MUST", "certain")
    exact = explain("likely", (certain, likely))
    assert exact is not None
    assert (exact.finding, exact.word_for_word) == (likely, True)
    other = explain("in other words", (likely, certain))
    assert other is not None
    assert (other.finding, other.word_for_word) == (certain, False)
    assert explain("in other words", (likely,)) is None


@pytest.mark.parametrize(
    ("url", "wire"),
    [
        ("https://api.anthropic.com/v1/messages?beta=true", "anthropic-messages"),
        ("https://proxy/anthropic/v1/messages", "anthropic-messages"),
        ("https://api.openai.com/v1/threads/t/messages", None),
        ("https://api.deepseek.com/chat/completions", "openai-chat"),
        ("https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1", "openai-chat"),
        ("https://proxy/gemini/v1beta/models/m:generateContent", "gemini-generate"),
        ("/v1/responses", "openai-responses"),
        ("https://api.openai.com/v1/responses/resp_1", None),
        ("https://api.openai.com/v1/files", None),
    ],
)
def test_the_wire_of_a_url(url: str, wire: str | None) -> None:
    route = route_of("post", url)
    assert (route and route.wire) == wire
