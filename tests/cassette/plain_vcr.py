"""Our cassettes through plain vcrpy, with nothing of ours in between, and through the official SDK of their wire."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2

from harness.cassette import Interaction, read_cassette
from tests.sdks import vcr

_GEMINI = re.compile(r"(?P<base>.*)/(?P<version>v1\w*)/(?P<path>models/.*)")


def replayed(path: Path) -> list[bytes]:
    """The body of each response of the cassette ``path``, as plain vcrpy gives it to the SDK, in the order of the file.

    Every recorded request is sent again with its recorded body, to the recorded URL, by the client of the SDK that
    speaks its wire; vcrpy records nothing (mode ``none``) and compares method, URI and body. A request that vcrpy does
    not find, or a response that is left over, is an error; an HTTP error that was recorded is a response like others.
    """
    received: list[bytes] = []

    def keep(response: httpx2.Response) -> None:
        received.append(response.read())

    interactions = read_cassette(path).interactions
    recorder = vcr.VCR(record_mode="none", match_on=("method", "uri", "body"))
    with recorder.use_cassette(path) as cassette, httpx2.Client(event_hooks={"response": [keep]}) as http:
        for interaction in interactions:
            with contextlib.suppress(*_http_errors()):
                _send(interaction, http)
    assert cassette.all_played, f"{cassette.play_count} of {len(interactions)} responses were played"
    return received


def _send(interaction: Interaction, http: httpx2.Client) -> None:
    body = json.loads(interaction.request or b"{}")
    path = urlsplit(interaction.url).path
    if ":generateContent" in path or ":streamGenerateContent" in path:
        _send_gemini(interaction.url, body, http)
    else:
        client = _anthropic(http) if path.endswith("/messages") else _openai(http)
        post: Callable[..., Any] = client.post
        post(interaction.url, body=body, cast_to=httpx2.Response)


def _openai(http: httpx2.Client) -> Any:
    import openai

    return openai.OpenAI(api_key="none", max_retries=0, http_client=http)


def _anthropic(http: httpx2.Client) -> Any:
    import anthropic

    return anthropic.Anthropic(api_key="none", max_retries=0, http_client=http)


def _send_gemini(url: str, body: Any, http: httpx2.Client) -> None:
    """The SDK of Gemini has no public way to send a body as it is; this is what its public methods end in."""
    from google import genai

    parts = _GEMINI.fullmatch(url)
    assert parts, f"not a URL of Gemini: {url}"
    options = genai.types.HttpOptions(base_url=parts["base"], api_version=parts["version"], httpx_client=http)
    client = genai.Client(api_key="none", http_options=options)
    if ":stream" in url:
        for _ in client._api_client.request_streamed("post", parts["path"], body):
            pass
    else:
        client._api_client.request("post", parts["path"], body)


def _http_errors() -> tuple[type[Exception], ...]:
    import anthropic
    import openai
    from google.genai import errors

    return openai.APIStatusError, anthropic.APIStatusError, errors.APIError
