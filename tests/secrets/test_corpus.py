"""Redaction of recorded traffic: what is no secret stays byte for byte, and what is left says the same."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness.secrets.finder import Pattern
from harness.secrets.redactor import Redactor
from harness.secrets.scan import scan
from harness.wire import Reply, wire
from tests.recorded.corpus.shared_exchanges import all_exchanges

PLACEHOLDER = re.compile(r"REDACTED-[a-z-]+")
REDACTOR = Redactor()
CHANGED = {
    # Whose account it was, in the answers of one provider.
    "openrouter-user-id": 3,
    # The key that a refusal repeats in part.
    "masked-key": 2,
    # Names of Python decorators after a word that lost its space: they look like addresses.
    "email": 1,
}


@pytest.fixture(scope="module")
def recorded(shared: Path) -> tuple[RecordedExchange, ...]:
    return all_exchanges(shared)


@pytest.fixture(scope="module")
def redacted(recorded: tuple[RecordedExchange, ...]) -> dict[bytes, bytes]:
    """What is left of the last request of every recording, which repeats those before it, and of every other answer."""
    requests = {each.file: each.request for each in recorded if each.request}
    answers = [each.response for each in recorded if each.response][::2]
    return {body: REDACTOR.redact_body(body, "") for body in dict.fromkeys([*requests.values(), *answers])}


@pytest.mark.exhaustive
def test_recorded_bodies_stay_but_for_what_is_secret(redacted: dict[bytes, bytes]) -> None:
    """Signatures, encrypted reasoning, ids and images: they are in most of these bodies, and none of them changes."""
    found: Counter[str] = Counter()
    for body, kept in redacted.items():
        if kept == body:
            continue
        before, after = (each.decode("utf-8", "surrogateescape") for each in (body, kept))
        parts = PLACEHOLDER.split(after)
        assert re.fullmatch(".{4,120}".join(map(re.escape, parts)), before, re.DOTALL)
        assert REDACTOR.redact_body(kept, "") == kept
        found.update({name.removeprefix("REDACTED-") for name in PLACEHOLDER.findall(after)})
    assert len(redacted) > 1600
    assert dict(found) == CHANGED


@pytest.mark.exhaustive
def test_redacted_responses_say_the_same(recorded: tuple[RecordedExchange, ...]) -> None:
    """With a pattern that stands in nearly all of them, in text, in arguments, and split over events."""
    redactor = Redactor(patterns=[Pattern("word", re.compile(r"\bthe\b"))])
    compared = 0
    for each in recorded[::10]:
        name, body = each.wire, each.response
        if name is None or not body or each.status != 200:
            continue
        kind = "text/event-stream" if each.streamed else "application/json"
        kept = redactor.redact_body(body, kind)
        if kept == body:
            continue
        before, after = wire(name).parse(kind, body), wire(name).parse(kind, kept)
        assert _spoken(before) == _spoken(after), each.name
        compared += 1
    assert compared >= 60


def _spoken(reply: Reply) -> str:
    """The turn, with what is redacted under one name."""
    neutral = re.sub(r"\\\\[nrt]|\\[nrt]", " ", repr(reply.turn))
    return re.sub(r"REDACTED-(word|email|credential)|<redacted>|\w+@agent\.\w+", "the", neutral)


@pytest.mark.exhaustive
def test_the_scan_finds_nothing_that_redaction_leaves(redacted: dict[bytes, bytes]) -> None:
    """In every fourth of them."""
    for kept in list(redacted.values())[::4]:
        text = kept.decode("utf-8", "replace")
        if not text.isprintable() and re.search(
            r"[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", text
        ):
            continue  # no text of YAML
        block = text.replace("\r\n", "\n").replace("\n", "\n  ")
        leaks = scan(f"body: |2\n  {block}\n")
        assert leaks == [], text[:200]
