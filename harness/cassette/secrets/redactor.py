"""Redaction: an interaction without its secrets, in which everything else stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.cassette.interaction import Delivery, Headers, Interaction
from harness.cassette.secrets.edits import Edit, applied, merged, moved
from harness.cassette.secrets.finder import Finder, Pattern
from harness.cassette.secrets.headers import kept_headers
from harness.cassette.secrets.searching import secrets_in
from harness.cassette.secrets.streams import joined_members
from harness.cassette.secrets.structure import outside, structure

__all__ = ["Redactor"]

_BINARY = re.compile(r"\s*(?:image|audio|video|font)/|\s*application/(?:octet-stream|pdf|zip)", re.IGNORECASE)
"""Content in which shapes stand by chance; values that are known are looked for in it all the same."""


class Redactor:
    """Takes secrets out of what is recorded.

    ``values`` are secrets that are known, by their names (``{"OPENAI_API_KEY": "sk-..."}``): they are replaced
    wherever they stand. ``patterns`` are what a user looks for besides. Placeholders depend on nothing but the kind or
    the name, and what is redacted stays as it is when it is redacted again: so a request that is sent at replay, once
    redacted, equals the recorded one.
    """

    def __init__(self, values: Mapping[str, str] | None = None, patterns: Sequence[Pattern] = ()) -> None:
        self._finder = Finder(values or {}, patterns)

    def redact(self, interaction: Interaction) -> Interaction:
        """The interaction as a cassette may keep it. The chunks of its delivery follow the body."""
        request, request_type = interaction.request, _content_type(interaction.request_headers)
        delivery = interaction.delivery
        response, chunks = self._body(
            interaction.response, _content_type(interaction.response_headers), delivery.chunks if delivery else ()
        )
        return replace(
            interaction,
            url=self.redact_url(interaction.url),
            request_headers=self.redact_headers(interaction.request_headers),
            request=None if request is None else self.redact_body(request, request_type),
            response_headers=self.redact_headers(interaction.response_headers),
            response=response,
            delivery=None if delivery is None else Delivery(chunks, delivery.waits, delivery.end),
        )

    def redact_url(self, url: str) -> str:
        """Return the URL without its secrets."""
        return self.redact_text(url)

    def redact_headers(self, headers: Headers) -> Headers:
        """The headers that a cassette keeps, see ``headers.py``; the names of the result are in lower case."""
        return kept_headers(headers, self.redact_text)

    def redact_body(self, body: bytes, content_type: str) -> bytes:
        """A body without compression. Bytes that are not UTF-8 stay as they are."""
        return self._body(body, content_type, ())[0]

    def redact_text(self, text: str) -> str:
        """Text of any kind: a header's value, a message, JSON."""
        return applied(text, self._in_whole(text))

    def _body(self, body: bytes, content_type: str, chunks: Sequence[int]) -> tuple[bytes, tuple[int, ...]]:
        """A body, and the lengths of its chunks."""
        text = body.decode("utf-8", "surrogateescape")
        searches = (self._known_values,) if _BINARY.match(content_type) else (self._in_pieces, self._in_whole)
        for search in searches:
            edits = search(text)
            chunks, text = moved(chunks, text, edits), applied(text, edits)
        return text.encode("utf-8", "surrogateescape"), tuple(chunks)

    def _known_values(self, text: str) -> list[Edit]:
        return merged(self._finder.values(text))

    def _in_pieces(self, text: str) -> list[Edit]:
        """Secrets that a stream sends in pieces. First, because a piece alone may show a part of one as a whole."""
        members = ((member, secrets_in(member.text, self._finder)) for member in joined_members(text))
        return sorted(edit for member, found in members for edit in member.edits(found))

    def _in_whole(self, text: str) -> list[Edit]:
        bars = [mark for span in structure(text) for mark in span] if self._finder.has_patterns else ()
        edits = secrets_in(text, self._finder, bars)
        return list(outside(edits, text, structure(text))) if edits else edits


def _content_type(headers: Headers) -> str:
    return ", ".join(headers.get("content-type", ()))
