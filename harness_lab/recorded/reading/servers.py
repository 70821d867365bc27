"""Responses of real servers, from a corpus or from cassettes, and whose model answered in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

from harness.cassette import Cassette, RecordedFile
from harness.cassette.forms import Response
from harness.cassette.recordings.as_sent import as_sent
from harness.cassette.recordings.corpus import CORPUS_FILES, exchanges_of, read_corpus
from harness.cassette.recordings.foreign import read_files
from harness.cassette.recordings.recording import RecordedExchange
from harness.errors import BadInput
from harness.wire import NativeWireName

Server = Literal["openai", "anthropic", "gemini", "deepseek", "bedrock", "another"]

MAKERS: Mapping[NativeWireName, Server] = {
    "openai-responses": "openai",
    "openai-chat": "openai",
    "anthropic-messages": "anthropic",
    "gemini-generate": "gemini",
    "bedrock-converse": "bedrock",
    "gemini-interactions": "gemini",
}
"""The maker of each wire: what its servers send defines the wire."""

_HOSTS: Mapping[str, Server] = {
    "api.openai.com": "openai",
    "api.anthropic.com": "anthropic",
    "generativelanguage.googleapis.com": "gemini",
    "api.deepseek.com": "deepseek",
}
_MODELS: Mapping[Server, str] = {
    "openai": r"(ft:)?(gpt-(?!oss)|o\d|chatgpt|codex|computer-use)",
    "anthropic": "claude",
    "gemini": "(models/)?gemini",
    "deepseek": r"deepseek-(?!ai/|r1:)",
}
_OF_AWS: Final = ".amazonaws.com"
"""The ending of AWS's host names; the region precedes it."""
_MODEL: Final = re.compile(rb'"(?:model|modelVersion)"\s*:\s*"([^"]*)"')
_COPILOT: Final = b'"copilot_usage"'
"""A bill that only GitHub Copilot writes. It passes on the answers of several makers' models."""
_NOT_AS_SENT: Final = ("sdk-objects", "hand-assembled")
"""Fidelities of recordings in the shape of an SDK's objects, or made by hand."""

_FEW_HEADERS = 3
"""A response with at most so many headers was written by a recorder that drops headers."""


@dataclass(frozen=True, slots=True)
class ServerResponse:
    """One response as a server sends it, recorded or rendered in the name of ``server``.

    ``name`` says where it is, or what was asked for. It has no headers if its recorder drops them. ``whole`` is False
    if a rendered stream breaks off on purpose.
    """

    name: str
    server: Server
    response: Response
    whole: bool = True

    @property
    def wire(self) -> NativeWireName:
        """The wire of the response."""
        return self.response.wire


def read_responses(paths: Iterable[Path]) -> tuple[ServerResponse, ...]:
    """The recordings of all ``paths``: folders in the corpus form, and folders and files of recordings in any format.

    Answers of a scripted endpoint are no evidence and left out. Raises ``BadInput`` for a path that cannot be read, and
    if no recording is left.
    """
    paths = tuple(paths)
    recordings = tuple(recording for path in paths for recording in _read(path))
    if not recordings:
        raise BadInput(f"{', '.join(map(str, paths))}: no response of a real model; expected a corpus or cassettes")
    return recordings


def _read(path: Path) -> Iterator[ServerResponse]:
    if path.is_dir() and any((path / name).is_file() for name in CORPUS_FILES):
        yield from of_corpus(read_corpus(path).exchanges)
        return
    unread: list[str] = []
    files = [recorded for _, recorded in read_files(path, unread)]
    if not files:
        nothing = f"{path}: contains no {' and no '.join(CORPUS_FILES)}, and no recording in another format"
        raise BadInput(*(unread or [nothing]))
    for recorded in files:
        yield from of_cassette(recorded)


def of_corpus(exchanges: Iterable[RecordedExchange]) -> Iterator[ServerResponse]:
    """The recordings of a corpus that have the shape in which they were sent."""
    for exchange in exchanges:
        wire = exchange.wire
        if wire is None or exchange.response is None or exchange.fidelity in _NOT_AS_SENT:
            continue
        responses, restored = as_sent(exchange, wire)
        if "binary frames" in restored:
            continue  # what the server put around its events is not known
        for response in responses:
            if response.body.strip():
                kept = response if len(response.headers) > _FEW_HEADERS else replace(response, headers={})
                yield ServerResponse(exchange.name, _server(exchange), kept)


def of_cassette(cassette: Cassette | RecordedFile) -> Iterator[ServerResponse]:
    """The recordings of a cassette; none if its model was scripted."""
    if cassette.provenance is None or cassette.provenance.source == "live":
        yield from of_corpus(exchanges_of(cassette, str(cassette.path)))


def _server(exchange: RecordedExchange) -> Server:
    """Whose server answered: by the host, or if that was not kept, by the collector and the model together."""
    host = urlsplit(exchange.url).netloc
    if exchange.wire is not None and MAKERS[exchange.wire] == "bedrock":  # whose answers name no model
        return "bedrock" if not host or host.endswith(_OF_AWS) else "another"
    if host:
        return _HOSTS.get(host, "another")
    if _COPILOT in (exchange.response or b""):
        return "another"
    model = _MODEL.search(exchange.response or b"") or _MODEL.search(exchange.request or b"")
    name = model[1].decode("utf-8", "replace") if model else ""
    return next((server for server in _MODELS if _speaks_as(server, exchange.provider, name)), "another")


def _speaks_as(server: Server, provider: str, model: str) -> bool:
    """Whether a server is a provider's own. Others resell its models, so the collector must have named the provider,
    too.

    The collector files DeepSeek with all who are compatible with OpenAI. An error names no model.
    """
    named = provider == ("openai-compatible" if server == "deepseek" else server)
    return named and bool(re.match(_MODELS[server], model) or (not model and server != "deepseek"))
