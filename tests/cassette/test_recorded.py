"""Every shared cassette reads to the traffic that the collector found in it, which is kept in a plain form."""

from __future__ import annotations

import base64
import gzip
import json
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from harness.cassette import Interaction, read_cassette
from harness.errors import BadInput

READ = {"vcrpy-yaml": 463, "go-vcr-yaml": 197, "ruby-vcr-yaml": 107, "json-cassette": 1}
"""How many files of each format are read; the other formats are not those of a supported recorder."""


@cache
def index(shared: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (shared / "corpus/corpus.jsonl").read_text(encoding="utf-8").splitlines()]


@cache
def plain(shared: Path) -> dict[str, list[dict[str, Any]]]:
    found = defaultdict(list)
    with gzip.open(shared / "corpus/exchanges.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            exchange = json.loads(line)
            found[exchange["file"]].append(exchange)
    return {file: sorted(exchanges, key=lambda each: each["index"]) for file, exchanges in found.items()}


def body(message: dict[str, Any]) -> bytes:
    found = message.get("body") or {"text": ""}
    return found["text"].encode("utf-8", "surrogatepass") if "text" in found else base64.b64decode(found["base64"])


def same(expected: bytes, got: bytes | None, fidelity: str) -> bool:
    """Byte for byte; where the recorder has parsed the JSON of a body, equal as JSON."""
    if expected == (got or b""):
        return True
    return fidelity == "parsed-json" and bool(got) and json.loads(expected) == json.loads(got or b"")


def headers(message: dict[str, Any]) -> dict[str, tuple[str, ...]]:
    listed = (message.get("headers") or {}).items()
    return {name.lower(): tuple(each if isinstance(each, list) else [each]) for name, each in listed}


def difference(expected: dict[str, Any], got: Interaction) -> str:
    request, response = expected["request"], expected["response"]
    pairs: dict[str, bool] = {
        "method": got.method == request["method"].upper(),
        "url": got.url == request["url"],
        "request": same(body(request), got.request, expected["fidelity"]),
        "request headers": dict(got.request_headers) == headers(request),
        "status": got.status == response["status"],
        "response": same(body(response), got.response, expected["fidelity"]),
        "response headers": dict(got.response_headers) == headers(response),
    }
    return ", ".join(name for name, equal in pairs.items() if not equal)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("form", ["vcrpy-yaml", "go-vcr-yaml", "ruby-vcr-yaml", "json-cassette"])
def test_a_cassette_says_what_its_plain_form_says(form: str, shared: Path) -> None:
    read = 0
    for entry in index(shared):
        if entry["format"] != form:
            continue
        path = shared / "corpus" / entry["path"]
        if form == "json-cassette" and "interactions" not in json.loads(path.read_text(encoding="utf-8")):
            with pytest.raises(BadInput, match="one 'request' and its 'response'"):
                read_cassette(path)
            continue
        got = read_cassette(path).interactions
        expected = plain(shared)[entry["path"]]
        assert len(got) == len(expected)
        found = [difference(*pair) for pair in zip(expected, got, strict=True)]
        assert found == [""] * len(found), entry["path"]
        read += 1
    assert read == READ[form]


def test_every_other_recording_is_refused_with_a_reason(shared: Path) -> None:
    refused = Counter[str]()
    for entry in index(shared):
        if entry["format"] in READ:
            continue
        path = shared / "corpus" / entry["path"]
        with pytest.raises(BadInput) as refusal:
            read_cassette(path)
        assert all(problem.startswith(f"{path}:") for problem in refusal.value.problems)
        refused[entry["format"]] += 1
    assert refused == {
        "httpmock-yaml": 275,
        "raw-json-response": 45,
        "chunks-jsonl-response": 41,
        "llama-stack-json": 25,
        "raw-sse-response": 17,
        "httprr": 11,
        "gemini-cli-responses": 6,
        "har": 5,
    }


def test_the_line_of_an_interaction_is_that_of_its_request(shared: Path) -> None:
    """In YAML the first member stands beside the dash that begins the element."""
    looked = 0
    for entry in index(shared)[::10]:
        if entry["format"] not in ("vcrpy-yaml", "go-vcr-yaml", "ruby-vcr-yaml"):
            continue
        path = shared / "corpus" / entry["path"]
        lines = path.read_text(encoding="utf-8").split("\n")
        for interaction in read_cassette(path).interactions:
            assert lines[interaction.line - 1].lstrip().startswith(("- request:", "- id:")), (
                f"{path}:{interaction.line}"
            )
            looked += 1
    assert looked > 100
