"""A cassette of ours as text: vcrpy's YAML, with bodies that a person can read and two keys of our own.

An interaction is one block of text, made once, and a cassette is a head with blocks. So a growing cassette is not
written anew each time. Plain vcrpy reads exactly the same bytes in it as we do.
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
"""The version of vcrpy's format."""

_WIDTH = 110


def document(provenance: Provenance | None, blocks: Iterable[str]) -> str:
    """The text of a cassette; ``blocks`` are its interactions, each as ``written`` renders it."""
    head = _yaml_text({"version": _VERSION, KEY: provenance_members(provenance)})
    listed = "".join(blocks)
    return f"{head}interactions:\n{listed}" if listed else f"{head}interactions: []\n"


def written(interaction: Interaction) -> str:
    """One interaction as an element of the list in a cassette.

    Bodies are written uncompressed. So the header for the compression is left out, and content-length fits the written
    body: otherwise both would mislead a client to which plain vcrpy replays it.
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
    return _indented_text(_yaml_text({name: value}))


def _yaml_text(value: Any) -> str:
    """YAML in block style, with each value on a separate line."""
    text: str = yaml.dump(
        value, Dumper=yaml.CSafeDumper, default_flow_style=False, sort_keys=False, allow_unicode=True, width=10**6
    )
    return text


def _in_line(value: Any) -> str:
    """YAML in flow style: hundreds of numbers should not take hundreds of lines."""
    text: str = yaml.dump(value, Dumper=yaml.CSafeDumper, default_flow_style=True, sort_keys=False, width=_WIDTH)
    return text


def _element(text: str) -> str:
    """``text`` as an element of a list."""
    return "- " + _indented_text(text).removeprefix("  ")


def _indented_text(text: str) -> str:
    """The indented text. Empty lines stay empty: YAML would allow indenting them, but editors would trim that.

    A line of blanks beyond ASCII (U+00A0) is text to YAML.
    """
    return indent(text, "  ", lambda line: line != "\n")
