"""Every kind of secret in every place: what redaction leaves, and what the scan then refuses.

python -m tests.secrets.matrix            all cells; prints a table, exits with 1 where a secret is left in a file
"""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from harness.cassette import Interaction
from harness.ground.encoding import UndecodableBody, decoded
from harness.secrets.learned import set_values
from harness.secrets.redactor import Redactor
from harness.secrets.scan import scan
from tests.secrets.kinds import Kind, kinds
from tests.secrets.places import PLACES
from tests.secrets.planting import document

_WINDOW = 12
_INVISIBLE = str.maketrans("", "", "\u200b\u2060")


def planted(kind: Kind, place: str) -> Interaction:
    """The kind in the place, with what is sent beside it."""
    made = PLACES[place](kind.text)
    if kind.query:
        made = replace(made, url=f"{made.url}{'&' if '?' in made.url else '?'}{kind.query}={kind.secret}")
    return replace(made, request_headers={**made.request_headers, **{name: (each,) for name, each in kind.sent}})


def redactor(kind: Kind) -> Redactor:
    """What redacts it, with what the environment has set."""
    return Redactor().knowing(set_values({kind.variable: kind.secret})) if kind.variable else Redactor()


def parts(secret: str) -> list[str]:
    """Texts of which none may be left: all parts of the latter half, as the beginning of a key is no secret."""
    flat = re.sub(r"\s", "", secret)
    start = min(len(flat) // 3, len(flat) - _WINDOW) if len(flat) > _WINDOW else 0
    return [flat[at : at + _WINDOW] for at in range(start, max(start + 1, len(flat) - _WINDOW + 1))]


def shown(made: Interaction) -> str:
    """All that an interaction says, read in every way that is known here, without white space."""
    texts = [made.url, *(each for values in made.request_headers.values() for each in values)]
    texts += [each for values in made.response_headers.values() for each in values]
    for body, headers in ((made.request or b"", made.request_headers), (made.response, made.response_headers)):
        texts += _bodies(body, ", ".join(headers.get("content-encoding", ())))
    seen = set(texts)
    for _ in range(3):
        texts = [each for text in texts for each in _read(text) if each not in seen]
        seen.update(texts)
    return re.sub(r"\s", "", "\n".join(seen))


def _bodies(body: bytes, encoding: str) -> Iterator[str]:
    yield body.decode("utf-8", "replace")
    for codec in ("utf-16-le", "utf-16-be", "utf-16") if b"\0" in body else ():
        yield body.decode(codec, "replace")
    try:
        yield decoded(body, encoding).decode("utf-8", "replace")
    except UndecodableBody:
        return


def _read(text: str) -> Iterator[str]:
    yield unquote(text)
    yield unquote(text.replace("+", " "))
    yield html.unescape(text)
    yield text.translate(_INVISIBLE)
    yield re.sub(r"\\u([0-9a-f]{4})", lambda found: chr(int(found[1], 16)), text)
    yield re.sub(r"(?<=[A-Za-z0-9+/])(?:\n|\\n)(?=[A-Za-z0-9+/])", "", text)
    values = [
        value for line in [text, *text.splitlines()] if (value := _parsed(line.removeprefix("data: "))) is not None
    ]
    joined: dict[Any, list[str]] = {}
    for value in values:
        for key, leaf in leaves(value, ()):
            joined.setdefault(key, []).append(leaf)
            if key != ("name",):
                joined.setdefault("all", []).append(leaf)
            yield leaf
    yield from ("".join(pieces) for pieces in joined.values())
    for run in re.finditer(r"[A-Za-z0-9+/_-]{16,}={0,2}", text):
        coded = run[0].rstrip("=").translate(str.maketrans("-_", "+/"))
        try:
            content = base64.b64decode(coded[: len(coded) - (len(coded) % 4 == 1)] + "==")
        except binascii.Error:
            continue
        yield from _bodies(content, "")
    for run in re.finditer(r"(?:[0-9A-Fa-f]{2}){12,}", text):
        yield bytes.fromhex(run[0]).decode("utf-8", "replace")


def _parsed(text: str) -> Any:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def leaves(value: Any, key: tuple[Any, ...]) -> Iterator[tuple[Any, str]]:
    if isinstance(value, str):
        yield key, value
    elif isinstance(value, list):
        for inner in value:
            yield from leaves(inner, key)
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield ("name",), name
            yield from leaves(inner, (*key, value.get("index"), name))


def outcome(kind: Kind, place: str) -> str:
    """``redacted``, ``refused`` by the scan, ``absent`` where the place cannot have it, or ``kept``: a leak."""
    made = planted(kind, place)
    wanted = parts(kind.secret)
    if not any(part in shown(made) for part in wanted):
        return "absent"
    kept = redactor(kind).redact(made)
    left = shown(kept)
    if not any(part in left for part in wanted):
        return "redacted"
    try:
        text = document(kept)
    except UnicodeDecodeError:
        text = document(replace(kept, response=b"", request=b""))
    return "refused" if scan(text, [kind.secret]) else "kept"


def main(step: int = 1) -> int:
    """Print the table of all cells; with ``step`` of every so many kinds, at other ones in each place."""
    total: Counter[str] = Counter()
    leaks: dict[str, list[str]] = {}
    every = kinds()
    for number, place in enumerate(PLACES):
        found: Counter[str] = Counter()
        for kind in every[number % step :: step]:
            what = outcome(kind, place)
            found[what] += 1
            if what in ("kept", "absent"):
                leaks.setdefault(f"{what}: {place}", []).append(kind.name)
        total += found
        print(f"{place:26} {dict(found)}", flush=True)
    print(f"{len(every)} kinds x {len(PLACES)} places = {total.total()}: {dict(total)}")
    for what, names in leaks.items():
        print(f"{what}: {', '.join(names[:12])}{f' and {len(names) - 12} more' if len(names) > 12 else ''}")
    return 1 if total["kept"] else 0


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
