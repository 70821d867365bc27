"""A cassette of ours as text: vcrpy's YAML, with bodies that a person can read and two keys of our own.

An interaction is one block of text, made once, and a cassette is its head and its blocks, so a cassette that grows is
not written out anew each time. What plain vcrpy reads in it is equal to the last byte to what we read.
"""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from textwrap import indent
from typing import Any

import yaml

from harness.cassette.body_text import body_text
from harness.cassette.interaction import Headers, Interaction, Provenance
from harness.cassette.own import KEY, delivery_members, provenance_members

_VERSION = 1
"""Of vcrpy's format."""

_WIDTH = 110


def document(provenance: Provenance | None, blocks: Iterable[str]) -> str:
    """The text of a cassette; ``blocks`` are its interactions, each as ``written`` renders it."""
    head = _dumped({"version": _VERSION, KEY: provenance_members(provenance)})
    listed = "".join(blocks)
    return f"{head}interactions:\n{listed}" if listed else f"{head}interactions: []\n"


def written(interaction: Interaction) -> str:
    """One interaction as an element of the list in a cassette.

    Bodies are written as they were before compression. So the header that would say otherwise is left out, and a
    content-length is that of the body as it stands here: both would mislead a client to which plain vcrpy replays it.
    """
    request = interaction.request
    parts = [
        "request:\n",
        _member("method", interaction.method),
        _member("uri", interaction.url),
        f"  body: {'null' if request is None else body_text(request, 4)}\n",
        _member("headers", _headers(interaction.request_headers, request)),
        "response:\n",
        _member("status", {"code": interaction.status, "message": _reason(interaction.status)}),
        _member("headers", _headers(interaction.response_headers, interaction.response)),
        f"  body:\n    string: {body_text(interaction.response, 6)}\n",
        f"{KEY}: {_in_line(delivery_members(interaction.delivery))}",
    ]
    return _element("".join(parts))


def _headers(headers: Headers, body: bytes | None) -> dict[str, list[str]]:
    kept = {name: list(values) for name, values in headers.items() if name != "content-encoding"}
    if "content-length" in kept:
        kept["content-length"] = [str(len(body or b""))]
    return kept


def _reason(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


# --- YAML ---------------------------------------------------------------------------------------------------


def _member(name: str, value: Any) -> str:
    return _indented(_dumped({name: value}))


def _dumped(value: Any) -> str:
    """In block style, whatever lies in it on a line of its own."""
    text: str = yaml.dump(
        value, Dumper=yaml.CSafeDumper, default_flow_style=False, sort_keys=False, allow_unicode=True, width=10**6
    )
    return text


def _in_line(value: Any) -> str:
    """In flow style: hundreds of numbers are not worth hundreds of lines."""
    text: str = yaml.dump(value, Dumper=yaml.CSafeDumper, default_flow_style=True, sort_keys=False, width=_WIDTH)
    return text


def _element(text: str) -> str:
    """``text`` as an element of a list."""
    return "- " + _indented(text).removeprefix("  ")


def _indented(text: str) -> str:
    """Empty lines stay empty: to indent one would be harmless in YAML, but no editor would leave it so.

    A line of blanks beyond ASCII (U+00A0) is text to YAML.
    """
    return indent(text, "  ", lambda line: line != "\n")
