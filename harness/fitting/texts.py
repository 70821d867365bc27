"""Texts for a format or an encoding in a schema. Like the texts for patterns, they are candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

_FORMATS: Final[Mapping[str, Sequence[str]]] = {
    "date": ("2026-01-01", "2026-12-31"),
    "date-time": ("2026-01-01T00:00:00Z", "2026-12-31T23:59:59Z"),
    "time": ("00:00:00Z", "23:59:59Z"),
    "duration": ("PT1M", "P1D"),
    "email": ("user@example.com", "another.user@example.com"),
    "idn-email": ("user@example.com",),
    "hostname": ("example.com", "www.example.com"),
    "idn-hostname": ("example.com",),
    "ipv4": ("127.0.0.1", "127.0.0.2"),
    "ipv6": ("::1", "::2"),
    "uri": ("https://example.com/", "https://example.com/another"),
    "url": ("https://example.com/", "https://example.com/another"),
    "uri-reference": ("https://example.com/", "/another"),
    "iri": ("https://example.com/",),
    "iri-reference": ("https://example.com/",),
    "uri-template": ("https://example.com/{name}",),
    "uuid": ("00000000-0000-4000-8000-000000000000", "00000000-0000-4000-8000-000000000001"),
    "json-pointer": ("/example",),
    "relative-json-pointer": ("0/example",),
    "regex": ("^example$",),
    "base64": ("ZXhhbXBsZQ==",),
    "byte": ("ZXhhbXBsZQ==",),
}
"""Texts of each format; the hosts are those that RFC 2606 sets aside for examples."""

_BASE64_JSON: Final = "e30="


def known_texts(schema: Mapping[str, Any]) -> Sequence[str]:
    """Texts of the format, or of the encoded content, that ``schema`` names; empty if it is unknown here."""
    wanted = schema.get("format")
    texts = _FORMATS.get(wanted, ()) if isinstance(wanted, str) else ()
    encoded, of_json = schema.get("contentEncoding") == "base64", "json" in str(schema.get("contentMediaType"))
    if of_json:
        return (*texts, _BASE64_JSON if encoded else "{}")
    return (*texts, *_FORMATS["base64"]) if encoded else texts
