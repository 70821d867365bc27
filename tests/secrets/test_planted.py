"""Secrets of every kind in every position: none is left, the scan says so, and it says where each of them was."""

from __future__ import annotations

import base64
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import unquote

import pytest

from harness.cassette import Interaction
from harness.secrets.redactor import Redactor
from harness.secrets.scan import scan
from harness.secrets.second_table import _FORMS
from harness.secrets.shapes import SHAPES
from harness.wire.sse import parse_events
from tests.secrets.matrix import leaves
from tests.secrets.planting import POSITIONS, document, interaction, told
from tests.secrets.samples import SAMPLES, drawn, sample

KINDS = [shape.kind for shape in SHAPES]
REDACTOR = Redactor()


def test_there_is_a_sample_of_every_kind() -> None:
    assert set(SAMPLES) == set(KINDS)
    assert len(KINDS) == len(set(KINDS)) >= 25
    assert len(POSITIONS) >= 6


# --- what is left -------------------------------------------------------------------------------------------


def everything(made: Interaction) -> str:
    """All that an interaction says, its streams joined, its JSON and base64 read."""
    headers = [
        value for each in (made.request_headers, made.response_headers) for both in each.values() for value in both
    ]
    bodies = [(made.request or b"").decode(), made.response.decode()]
    texts = [made.url, unquote(made.url), *headers, *bodies]
    for body in bodies:
        if body.startswith("event:"):
            values = [json.loads(event.data) for event in parse_events(body.encode())]
        else:
            values = [json.loads(body)] if body[0] in "{[" else []
        joined: dict[Any, list[str]] = defaultdict(list)
        for value in values:
            for key, text in leaves(value, ()):
                joined[key].append(text)
        texts += ["".join(pieces) for pieces in joined.values()]
    return "\n".join([*texts, *(deeper for text in texts for deeper in unwrapped(text))])


def unwrapped(text: str) -> Iterator[str]:
    """What JSON or base64 in a text says."""
    try:
        value = json.loads(text)
    except ValueError:
        coded = text.rpartition(",")[2].translate(str.maketrans("-_", "+/"))
        if (
            len(coded) > 16
            and len(coded.rstrip("=")) % 4 != 1
            and coded.rstrip("=").replace("+", "").replace("/", "").isalnum()
        ):
            yield base64.b64decode(coded + "=" * (-len(coded) % 4)).decode("utf-8", "replace")
        return
    for _, inner in leaves(value, ()):
        yield inner
        if inner != text:
            yield from unwrapped(inner)


def positions(kind: str) -> list[tuple[str, Callable[[str], Interaction]]]:
    """Where a secret of this kind is planted: everywhere, if some wrapping writes a character of it in another way.

    A secret of nothing but letters, digits, ``-``, ``_`` and ``.`` stands in every wrapping as it is. It is planted in
    every third position, and the kinds begin at different ones: so each position has a third of these kinds.
    """
    unchanged = re.fullmatch(r"[A-Za-z0-9._-]+", sample(kind).text)
    return list(POSITIONS.items())[KINDS.index(kind) % 3 :: 3] if unchanged else list(POSITIONS.items())


def test_every_position_has_kinds_that_it_changes_and_kinds_that_it_does_not() -> None:
    for position in POSITIONS:
        having = [kind for kind in KINDS if position in dict(positions(kind))]
        everywhere = [kind for kind in KINDS if len(positions(kind)) == len(POSITIONS)]
        assert len(everywhere) >= 15
        assert len(having) >= len(everywhere) + 10, position


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", KINDS)
def test_no_secret_is_left(kind: str) -> None:
    text, secret = sample(kind)
    for position, plant in positions(kind):
        planted = plant(text)
        in_header = position.endswith("header")
        assert (secret.replace("\n", " ") if in_header else secret) in everything(planted), position

        kept = REDACTOR.redact(planted)
        left = everything(kept)
        assert secret not in left, position
        assert not [secret[at : at + 12] for at in range(len(secret) - 11) if secret[at : at + 12] in left], position
        assert f"REDACTED-{kind}" in left or in_header, position
        assert scan(document(kept)) == [], position
        assert REDACTOR.redact(kept) == kept, position


PLACES = {
    "in_request_header": "request.headers.anthropic-beta[0] request.headers.x-anything[0]",
    "in_response_header": "response.headers.x-request-id[0] response.headers.set-cookie[0]",
    "in_url": "request.uri",
    "in_request": "request.body",
    "in_json_in_json": "request.body response.body.string",
    "in_url_safe_base64": "request.body",
}


UNSUSPECTED = {
    "aws-key-id": "capital letters, and no digit: so is a word in a heading",
    "credential": "words under the name of a secret: the scan wants a value that looks drawn",
}
"""What the scan lets pass where redaction has not seen it, with the reason."""


@pytest.mark.sampled(9)
@pytest.mark.parametrize("kind", KINDS)
def test_the_scan_finds_what_nobody_redacted(kind: str) -> None:
    text, secret = sample(kind)
    for position, plant in positions(kind):
        leaks = scan(document(plant(text)))
        assert leaks or kind in UNSUSPECTED, position
        places = {f"interactions[0].{each}" for each in PLACES.get(position, "response.body.string").split()}
        assert {leak.where.split(",")[0] for leak in leaks} <= places, position
        assert not [leak for leak in leaks if secret in str(leak) or secret[4:10] in str(leak)], position


@pytest.mark.sampled(9)
@pytest.mark.parametrize("kind", KINDS)
def test_text_is_split_over_events_at_every_place(kind: str) -> None:
    """At every seventh place, or every seventeenth of long texts; the kinds begin at different ones."""
    text, secret = sample(kind)
    line = f"It is {text} then."
    step = 7 if len(line) < 80 else 17
    for at in range(1 + KINDS.index(kind) % step, len(line), step):
        planted = told([line[:at], line[at:]])
        kept = REDACTOR.redact(planted)
        assert secret not in everything(kept), at
        assert scan(document(kept)) == [], at
        assert kept.delivery is not None
        assert sum(kept.delivery.chunks) == len(kept.response)
        assert len(kept.delivery.chunks) == 4


def test_what_a_text_must_have_to_be_searched_is_in_lower_case() -> None:
    """A text is searched in lower case for it: a capital letter would never be found, and the form with it."""
    signs = [sign for _, each, _ in _FORMS for sign in each]
    assert signs == [sign.casefold() for sign in signs]
    assert all(each for _, each, _ in _FORMS)


# --- values that are known ----------------------------------------------------------------------------------

VALUE = 'no shape at all: "quoted", back\\slash, 50% & /é/'


@pytest.mark.parametrize("position", POSITIONS)
def test_a_known_value_is_found_in_every_position(position: str) -> None:
    planted = POSITIONS[position](VALUE)
    redactor = Redactor({"MY_SERVICE_KEY": VALUE})
    assert "known-value" in {leak.kind for leak in scan(document(planted), [VALUE])}
    kept = redactor.redact(planted)
    assert VALUE not in everything(kept)
    assert scan(document(kept), [VALUE]) == []
    assert "REDACTED-my-service-key" in everything(kept) or position.endswith("header")
    assert redactor.redact(kept) == kept


def test_a_known_value_is_found_in_bytes_that_are_no_text() -> None:
    value = drawn("binary", 20)
    image = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) + value.encode() + bytes(range(256))
    planted = interaction(response=json.dumps({"data": base64.b64encode(image).decode()}).encode())
    kept = Redactor({"KEY": value}).redact(planted)
    data = base64.b64decode(json.loads(kept.response)["data"])
    assert data == image.replace(value.encode(), b"REDACTED-key")
    assert [leak.kind for leak in scan(document(planted), [value])] == ["known-value"]
    assert scan(document(kept), [value]) == []


def test_values_that_are_no_secrets_stay() -> None:
    redactor = Redactor({"OPENAI_API_KEY": "ollama", "EMPTY": "", "BLANK": "   "})
    planted = interaction(response=b'{"text":"ollama runs","server":"ollama/0.9"}')
    assert redactor.redact(planted) == planted


# --- a redaction that lacks a part --------------------------------------------------------------------------


def _nothing(*_: Any, **__: Any) -> tuple[()]:
    return ()


@pytest.mark.parametrize(
    ("part", "position"),
    [
        ("redactor.joined_members", "in_letters"),
        ("redactor.joined_members", "in_arguments_in_letters"),
        ("redactor.joined_members", "in_chat_arguments"),
        ("redactor.joined_members", "in_list_of_chunks"),
        ("searching.runs", "in_base64"),
        ("searching.runs", "in_url_safe_base64"),
        ("searching.percent_decoded", "in_url"),
        ("searching._VIEWS", "in_json_in_json"),
    ],
)
def test_the_scan_fails_where_redaction_lacks_a_part(part: str, position: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A credential in JSON has quotation marks: without reading escapes it is not seen."""
    text = "\n".join(sample(kind).text for kind in ("credential", "private-key", "email", "userinfo"))
    planted = POSITIONS[position](text)
    assert scan(document(REDACTOR.redact(planted))) == []
    monkeypatch.setattr(f"harness.secrets.{part}", () if part.isupper() or "._" in part else _nothing)
    assert scan(document(REDACTOR.redact(planted))) != []
