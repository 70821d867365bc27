"""Redaction: an interaction without its secrets, in which everything else stays byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from harness.ground.encoding import UndecodableBody, decoded
from harness.secrets.bodies import Readable, readable, scaled
from harness.secrets.edits import Edit, applied, merged, moved
from harness.secrets.finder import Finder, Pattern
from harness.secrets.framed import FramedBody, framed
from harness.secrets.headers import Headers, kept_headers
from harness.secrets.learned import sent_values
from harness.secrets.searching import secrets_in
from harness.secrets.shape import long_words
from harness.secrets.streams import StreamedText, interleaved, joined_members, messages
from harness.secrets.structure import outside, structure

_BINARY = re.compile(r"\s*(?:image|audio|video|font)/|\s*application/(?:octet-stream|pdf|zip)", re.IGNORECASE)
"""Content in which the shape of a secret is an accident. Known values are still looked for in it."""

_SHORTEST = 5
"""Shorter texts contain no secret: the shortest address has as many characters."""

_REMEMBERED = 1 << 24
"""How many characters of texts are kept in the cache of texts with and without secrets."""
_OF_EACH = 100
"""Characters that each entry of that cache costs besides its text."""

_Recorded = TypeVar("_Recorded")


class Redactor:
    """Takes secrets out of what is recorded.

    ``values`` are known secrets by their names (``{"OPENAI_API_KEY": "sk-..."}``): they are replaced wherever they
    occur. ``patterns`` are further patterns of the user. Placeholders depend on nothing but the kind or the name, and a
    second redaction changes nothing. So a request at replay, once redacted, equals the recorded one.
    """

    def __init__(self, values: Mapping[str, str] | None = None, patterns: Sequence[Pattern] = ()) -> None:
        self._values = dict(values or {})
        self._patterns = tuple(patterns)
        self._learned: dict[str, str] = {}
        self._finder = Finder(self._values, self._patterns)
        self._found: dict[str, bool] = {}
        self._remembered = 0
        self._last: tuple[object, bool] | None = None

    def knowing(self, values: Mapping[str, str]) -> Redactor:
        """A redactor that knows more values; the names of values that this one knows are kept."""
        known = {*self._values.values(), *self._learned.values()}
        more = {name: value for name, value in values.items() if value not in known}
        if not more:
            return self
        knowing = Redactor(self._values, self._patterns)
        knowing._learned = {**more, **self._learned}
        knowing._finder = Finder(self._values, self._patterns, knowing._learned)
        return knowing

    def knowing_sent(self, url: str, request_headers: Headers, response_headers: Headers | None = None) -> Redactor:
        """A redactor that also knows what an exchange sends outside of its bodies: keys, cookies, whose account it
        is."""
        return self.knowing(sent_values(url, request_headers, response_headers or {}))

    def redact(self, interaction: _Recorded) -> _Recorded:
        """The interaction as a cassette may keep it: an ``Interaction`` with uncompressed bodies.

        The secrets in its headers and its URL are looked for in all of it. The chunks of its delivery follow the body.
        """
        made: Any = interaction
        knowing = self.knowing_sent(made.url, made.request_headers, made.response_headers)
        redacted: _Recorded = knowing._redacted_copy(made)
        return redacted

    def _redacted_copy(self, made: Any) -> Any:
        request, delivery = made.request, made.delivery
        response, chunks = self._body(made.response, made.response_headers, delivery.chunks if delivery else ())
        return replace(
            made,
            url=self.redact_url(made.url),
            request_headers=self.redact_headers(made.request_headers),
            request=None if request is None else self._body(request, made.request_headers, ())[0],
            response_headers=self.redact_headers(made.response_headers),
            response=response,
            delivery=None if delivery is None else replace(delivery, chunks=chunks),
        )

    def redact_url(self, url: str) -> str:
        """Return the URL without its secrets."""
        return self.redact_text(url)

    def redact_headers(self, headers: Headers) -> Headers:
        """The headers that a cassette keeps, see ``headers.py``; the names of the result are in lower case."""
        return kept_headers(headers, self.redact_text)

    def redact_body(self, body: bytes, content_type: str) -> bytes:
        """A body, without compression. Bytes that are no text stay as they are."""
        return self._body(body, {"content-type": (content_type,)}, ())[0]

    def redact_chunks(self, body: bytes, content_type: str, chunks: Sequence[int]) -> tuple[bytes, tuple[int, ...]]:
        """A body that came in pieces of these lengths, redacted, and the lengths of as many pieces of the result."""
        return self._body(body, {"content-type": (content_type,)}, chunks)

    def redact_text(self, text: str) -> str:
        """Text of any kind: a header's value, a message, JSON."""
        return applied(text, self._in_whole(text)) if self.finds(text) else text

    def redact_pieces(self, pieces: Sequence[str]) -> list[str]:
        """Text that comes in pieces, redacted: the first piece with a part of a secret gets the placeholder, others
        lose theirs."""
        whole = "".join(pieces)
        if not self.finds(whole):
            return list(pieces)
        edits, kept, end = self._in_whole(whole), [], 0
        for piece in pieces:
            start, end = end, end + len(piece)
            inside = [each for each in edits if each.start < end and each.end > start]
            kept.append(applied(whole[start:end], [_within(each, start, end) for each in inside]))
        return kept

    def found(self, text: str) -> Sequence[Edit]:
        """The edits of ``redact_text``, by places in the text."""
        return self._in_whole(text) if self.finds(text) else ()

    def finds(self, text: str) -> bool:
        """Whether a text has a secret. Cached: a run writes the same few texts thousands of times."""
        found = self._found.get(text)
        if found is None:
            found = (len(text) >= _SHORTEST or self._finder.has_patterns) and bool(self._in_whole(text))
            self._remember(text, found)
        return found

    def finds_in(self, value: object) -> bool:
        """Whether the ``repr`` of a value has a secret. Cached for the last tuple, which does not change."""
        if self._last is None or self._last[0] is not value:
            found = self.finds(repr(value))
            if not isinstance(value, tuple):
                return found
            self._last = (value, found)
        return self._last[1]

    def _remember(self, text: str, found: bool) -> None:
        if self._remembered + len(text) > _REMEMBERED:
            self._found.clear()
            self._remembered = 0
        self._found[text] = found
        self._remembered += len(text) + _OF_EACH

    def _body(self, body: bytes, headers: Headers, chunks: Sequence[int]) -> tuple[bytes, tuple[int, ...]]:
        """A body, redacted, and the lengths of its chunks."""
        content_type = _header(headers, "content-type")
        body, chunks = _plain(body, headers, chunks)
        if inside := framed(body, content_type):
            return self._payloads(inside, chunks)
        text = readable(body, content_type)
        if text.codec is None:
            return self._utf8(text, content_type, chunks)
        kept = self._utf8(replace(text, codec=None), content_type, ())[0].decode("utf-8", "surrogateescape")
        wide = replace(text, text=kept).body
        return wide, scaled(chunks, len(wide))

    def _payloads(self, inside: FramedBody, chunks: Sequence[int]) -> tuple[bytes, tuple[int, ...]]:
        """A body of frames, redacted. If a secret reaches over the end of a line, each line is redacted by itself
        instead."""
        lines = inside.lines
        kept = self._text("\n".join(lines)).split("\n") if lines else []
        if len(kept) != len(lines):
            kept = list(map(self._text, lines))
        rest = self._text(inside.rest.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
        return inside.with_lines(kept, rest, chunks)

    def _text(self, text: str) -> str:
        for edits in self._rounds(text, ""):
            text = applied(text, edits)
        return text

    def _utf8(self, read: Readable, content_type: str, chunks: Sequence[int]) -> tuple[bytes, tuple[int, ...]]:
        text = read.text
        for edits in self._rounds(text, content_type):
            chunks, text = moved(chunks, text, edits), applied(text, edits)
        return replace(read, text=text).body, tuple(chunks)

    def _rounds(self, text: str, content_type: str) -> Iterator[list[Edit]]:
        """The edits of the text, round by round. Each round edits the result of the one before.

        Texts that come in pieces are first, because one piece alone may look like a whole secret.
        """
        if _BINARY.match(content_type):
            yield merged(self._finder.values(text))
            return
        members = joined_members(text)
        for search in (self._in_pieces, self._over_members):
            if edits := search(text, members):
                yield edits
                text = applied(text, edits)
                members = joined_members(text)
        yield self._in_whole(text)

    def _in_pieces(self, _: str, members: Sequence[StreamedText]) -> list[Edit]:
        """Secrets that a stream sends in pieces."""
        found = ((member, secrets_in(member.text, self._finder)) for member in members)
        return sorted(edit for member, edits in found for edit in member.edits(edits))

    def _over_members(self, text: str, members: Sequence[StreamedText]) -> list[Edit]:
        """Secrets whose pieces alternate between several members, or are in successive messages of a request."""
        joined = [*interleaved(members), *messages(text)]
        found = ((member, merged(self._finder.known(member.text, long_words(member.text)))) for member in joined)
        return sorted({edit for member, edits in found for edit in member.edits(member.crossing(edits))})

    def _in_whole(self, text: str) -> list[Edit]:
        bars = [mark for span in structure(text) for mark in span] if self._finder.has_patterns else ()
        edits = secrets_in(text, self._finder, bars)
        return list(outside(edits, text, structure(text))) if edits else edits


def _within(edit: Edit, start: int, end: int) -> Edit:
    """The part of an edit that is within ``start`` to ``end``, by places in that part."""
    replacement = edit.replacement if edit.start >= start else ""
    return Edit(max(edit.start, start) - start, min(edit.end, end) - start, replacement)


def _plain(body: bytes, headers: Headers, chunks: Sequence[int]) -> tuple[bytes, Sequence[int]]:
    """The body before compression, and the lengths of as many chunks of it."""
    try:
        plain = decoded(body, _header(headers, "content-encoding"))
    except UndecodableBody:
        return body, chunks
    return (body, chunks) if plain == body else (plain, scaled(chunks, len(plain)))


def _header(headers: Headers, name: str) -> str:
    return ", ".join(headers.get(name, ()))
