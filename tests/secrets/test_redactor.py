"""What redaction keeps, where it puts the ends of chunks, and that hostile text costs no more than other text."""

from __future__ import annotations

import base64
import json
import re
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.redaction import HOSTILE
from harness.cassette import Delivery
from harness.secrets.edits import Edit, applied, merged, moved
from harness.secrets.finder import Pattern
from harness.secrets.redactor import Redactor
from harness.secrets.scan import Leak, scan
from harness.secrets.shapes import SHAPES
from tests.secrets.planting import interaction, told
from tests.secrets.samples import sample

REDACTOR = Redactor()
SECRET = sample("openai-project-key").secret


# --- headers ------------------------------------------------------------------------------------------------


def test_headers_that_are_not_listed_are_left_out() -> None:
    kept = REDACTOR.redact_headers(
        {
            "Content-Type": ("application/json",),
            "Authorization": (f"Bearer {SECRET}",),
            "X-Api-Key": ("anything",),
            "Cookie": ("a=b",),
            "openai-organization": ("a-company",),
            "anthropic-organization-id": ("0b1c",),
            "x-from-tomorrow": ("who knows",),
            "x-ratelimit-remaining-tokens": ("12",),
            "request-id": ("req_011CVa2kdYoBWtrYYX7mqJjX",),
        }
    )
    assert kept == {
        "content-type": ("application/json",),
        "authorization": ("REDACTED-authorization",),
        "x-api-key": ("REDACTED-x-api-key",),
        "x-ratelimit-remaining-tokens": ("12",),
        "request-id": ("req_011CVa2kdYoBWtrYYX7mqJjX",),
    }


# --- bodies -------------------------------------------------------------------------------------------------


def test_only_the_secret_changes() -> None:
    body = f'{{ "a":1.0,"b":"x {SECRET}\\u00e9\\/",\n "c":"\\ud83d" }}'.encode()
    assert REDACTOR.redact_body(body, "application/json") == body.replace(
        SECRET.encode(), b"REDACTED-openai-project-key"
    )


def test_the_letter_of_an_escape_belongs_to_no_address() -> None:
    text = json.dumps({"a": json.dumps({"b": "\njane@corp-mail.com\tjane@corp-mail.com"})})
    assert json.loads(json.loads(REDACTOR.redact_text(text))["a"]) == {"b": "\nREDACTED-email\tREDACTED-email"}


def test_bytes_that_are_no_text_stay() -> None:
    body = b"\xff\xfe " + SECRET.encode() + b" \x80"
    assert REDACTOR.redact_body(body, "") == b"\xff\xfe REDACTED-openai-project-key \x80"


def test_shapes_are_not_looked_for_in_images() -> None:
    body = b"\x89PNG jane@corp-mail.com"
    assert REDACTOR.redact_body(body, "image/png") == body
    assert Redactor({"KEY": "jane@corp-mail.com"}).redact_body(body, "image/png") == b"\x89PNG REDACTED-key"


@pytest.mark.parametrize(
    "text",
    [
        "git@github.com:owner/name.git",
        "user@example.com and logo@2x.png",
        "sk-learn-has-no-key-here-at-all",
        "Bearer authentication is described elsewhere",
        '{"max_tokens": 1024, "password": {"type": "string"}, "api_key": ""}',
        "call_abcdefghijklmnopqrstuvwx toolu_01Q2suTpa6uBzfa9JB9FjSa3 resp_0123456789abcdef0123456789abcdef",
        "pageToken=CiAKGjBpNDd2Nmp2Zml2cXRwYjBpOXA&next_page_token=CiAKGjBpNDd2Nmp2",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert REDACTOR.redact_text(text) == text
    assert scan(f"- {json.dumps(text)}\n") == []


def test_a_pattern_of_the_users_never_breaks_json() -> None:
    greedy = Redactor(patterns=[Pattern("Customer No", re.compile(r"C-.*"))])
    body = json.dumps({"a": "see C-1 and more", "b": ["C-2"], "c": json.dumps({"d": "C-3"})})
    kept = json.loads(greedy.redact_body(body.encode(), "application/json"))
    assert kept == {"a": "see REDACTED-customer-no", "b": ["REDACTED-customer-no"], "c": '{"d": "REDACTED-customer-no'}


def test_a_pattern_may_name_the_part_that_is_secret() -> None:
    redactor = Redactor(patterns=[Pattern("pin", re.compile(r"PIN (?P<secret>\d{4})"))])
    assert redactor.redact_text("the PIN 1234.") == "the PIN REDACTED-pin."


def test_a_secret_at_the_seam_of_events_leaves_their_json_whole() -> None:
    text = '{"client_secret": "hunter27 and more"}'
    for at in range(1, len(text)):
        body = REDACTOR.redact(told([text[:at], text[at:]])).response
        events = [json.loads(line[5:]) for line in body.splitlines() if line.startswith(b"data:")]
        said = "".join(event["delta"]["text"] for event in events if event["type"] != "ping")
        assert said == '{"client_secret": "REDACTED-credential"}'


def test_base64_keeps_its_alphabet() -> None:
    text = f"??>>~~ {SECRET} ??>>~~"
    for coded in (base64.b64encode(text.encode()).decode(), base64.urlsafe_b64encode(text.encode()).decode()):
        kept = REDACTOR.redact_text(f"path/{coded}")
        data = kept.removeprefix("path/")
        decode = base64.urlsafe_b64decode if "_" in coded or "-" in coded else base64.b64decode
        assert decode(data).decode() == "??>>~~ REDACTED-openai-project-key ??>>~~"


def test_a_placeholder_is_no_secret() -> None:
    once = REDACTOR.redact_url(f"https://jane:pw@corp-mail.com/v1?key={SECRET}&x=1")
    assert once == "https://REDACTED-userinfo@corp-mail.com/v1?key=REDACTED-openai-project-key&x=1"
    assert REDACTOR.redact_url(once) == once
    assert scan(f"- {once}\n") == []


@given(st.text(), st.lists(st.sampled_from([SECRET, "jane@corp-mail.com", "\\", '"', "%41", "\n", "{", "é"])))
def test_what_is_redacted_stays_as_it_is(text: str, parts: list[str]) -> None:
    for whole in (text.join(parts), json.dumps(text.join(parts)), json.dumps({"a": json.dumps([text, *parts])})):
        once = REDACTOR.redact_text(whole)
        assert REDACTOR.redact_text(once) == once
        assert SECRET not in once


# --- chunks -------------------------------------------------------------------------------------------------


@given(st.text("ab é", max_size=30), st.data())
def test_chunks_end_where_they_ended(text: str, data: st.DataObject) -> None:
    length = len(text.encode())
    ends = sorted(data.draw(st.lists(st.integers(0, length), max_size=6)))
    chunks = [b - a for a, b in zip([0, *ends], [*ends, length], strict=True)]
    places = st.tuples(st.integers(0, len(text)), st.integers(0, len(text)), st.text("xyzé", max_size=8))
    edits = merged(Edit(min(a, b), max(a, b), new) for a, b, new in data.draw(st.lists(places, max_size=4)) if a != b)
    after = moved(chunks, text, edits)
    assert len(after) == len(chunks)
    assert sum(after) == len(applied(text, edits).encode())
    assert min(after) >= 0

    def untouched(end: int) -> bool:
        return not any(len(text[: each.start].encode()) < end < len(text[: each.end].encode()) for each in edits)

    for old, new in zip(accumulate(chunks), accumulate(after), strict=True):
        if untouched(old):
            before = [each for each in edits if len(text[: each.end].encode()) <= old]
            grown = sum(len(each.replacement.encode()) - len(text[each.start : each.end].encode()) for each in before)
            assert new == old + grown


def test_waits_and_end_of_a_delivery_stay() -> None:
    body = f"one {SECRET} two".encode()
    delivery = Delivery((2, len(body) - 2), (5.0, 7.5), "cut")
    kept = REDACTOR.redact(interaction(response=body, delivery=delivery)).delivery
    assert kept == Delivery((2, len("one REDACTED-openai-project-key two") - 2), (5.0, 7.5), "cut")


# --- the scan -----------------------------------------------------------------------------------------------


def test_a_leak_says_where_and_does_not_tell() -> None:
    text = f"version: 1\ninteractions:\n- request:\n    body: |\n      first\n      {SECRET}\n"
    (leak,) = scan(text)
    assert leak == Leak("key", 6, "interactions[0].request.body", f"{SECRET[:4]}... ({len(SECRET)} characters)")
    assert str(leak).startswith("line 6: key in interactions[0].request.body: sk-p...")


def test_the_scan_reads_binary_and_names_and_comments() -> None:
    coded = base64.b64encode(f"\x00\x01 {SECRET}".encode()).decode()
    leaks = scan(f"a: !!binary {coded}\n? {SECRET}\n: b\nc: d # {SECRET}\n")
    assert [(leak.line, leak.where) for leak in leaks] == [(1, "a"), (2, "a name"), (4, "a comment")]


def test_the_scan_reads_what_was_cut_off() -> None:
    body = json.dumps({"a": json.dumps({"client_secret": "hun7ter27xQz"})})[:-4]
    assert ("assigned", "[0], escapes") in [(leak.kind, leak.where) for leak in scan(f"- '{body}'\n")]


def test_what_cannot_be_read_is_no_clean_file() -> None:
    assert [leak.kind for leak in scan("a: [1, 2\nb: }")] == ["unreadable"]
    assert {leak.kind for leak in scan(f"a: [1, 2\n{SECRET}")} == {"unreadable", "key"}


# --- hostile text (how its time grows is measured in benchmarks/redaction.py) ---------------------------------


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_redacted_to_its_end_and_once_is_enough(name: str) -> None:
    part = HOSTILE[name]
    body = f"{part * (20_000 // len(part))} {SECRET}".encode()
    redacted = REDACTOR.redact_body(body, "")
    assert SECRET.encode() not in redacted
    assert b"REDACTED-" in redacted
    assert REDACTOR.redact_body(redacted, "") == redacted


def test_the_documentation_has_every_shape_with_its_source() -> None:
    page = (Path(__file__).parents[2] / "docs" / "secrets.md").read_text()
    assert page.endswith("".join(f"| `{shape.kind}` | {shape.source} |\n" for shape in SHAPES))
