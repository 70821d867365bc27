"""The front door: every format is told by its structure and read, and everything else is named."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from harness.cassette import RecordedFile, read_recording
from harness.cassette.formats import FORMATS
from harness.cassette.formats.content import Content, read_content
from harness.cassette.formats.others import OTHERS
from harness.errors import BadInput
from tests.cassette.formats.samples import ANSWER, ASKED, EVENTS, SAMPLES, STREAM, STREAMS, URL, har

DONE = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": []}
BODIES: dict[str, dict[str, Any]] = {
    "anthropic-messages": ANSWER,
    "openai-responses": {"id": "resp_1", "object": "response", "output": []},
    "openai-chat": {**DONE, "object": "chat.completion"},
    "gemini-generate": {"candidates": [{"content": {"parts": [{"text": "x"}], "role": "model"}, "index": 0}]},
}
OPENINGS: dict[str, dict[str, Any]] = {
    "anthropic-messages": EVENTS[0],
    "openai-responses": {"type": "response.created", "response": BODIES["openai-responses"]},
    "openai-chat": DONE,
    "gemini-generate": BODIES["gemini-generate"],
}


def read(tmp_path: Path, content: bytes | str | Any, name: str = "file") -> RecordedFile:
    if not isinstance(content, bytes | str):
        content = json.dumps(content)
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_recording(path)


def refused(tmp_path: Path, content: bytes | str | Any) -> str:
    with pytest.raises(BadInput) as found:
        read(tmp_path, content)
    return "\n".join(found.value.problems).replace(str(tmp_path / "file"), "F")


# --- each format --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("format", "content"), SAMPLES.values(), ids=SAMPLES)
def test_an_exchange_is_read_in_every_format(format: str, content: bytes, tmp_path: Path) -> None:
    found = read(tmp_path, content)
    (one,) = found.interactions
    assert (found.format, found.left_out) == (format, ())
    assert (one.method, one.status) == ("POST", 200)
    assert URL.endswith(one.url)
    assert one.request is not None
    assert (json.loads(one.request), json.loads(one.response)) == (ASKED, ANSWER)


@pytest.mark.parametrize(("format", "content"), STREAMS.values(), ids=STREAMS)
def test_a_stream_is_read_as_it_came(format: str, content: bytes, tmp_path: Path) -> None:
    found = read(tmp_path, content)
    (one,) = found.interactions
    assert (found.format, one.response) == (format, STREAM.encode())
    assert one.response_headers["content-type"][0].startswith("text/event-stream") or format == "HAR"


@pytest.mark.parametrize(("format", "content"), [*SAMPLES.values(), *STREAMS.values()], ids=[*SAMPLES, *STREAMS])
def test_no_file_has_the_signs_of_two_formats(format: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(content)
    file = read_content(tmp_path / "file")
    parsed = [each for each in FORMATS if each.name not in ("httprr", "events", "payloads")]
    claimed = [each.name for each in (FORMATS if format == "httprr" else parsed) if _claims(each, file)]
    assert claimed[:1] == [format]
    assert format == "httprr" or claimed == [format]


def _claims(each: Any, file: Content) -> bool:
    try:
        return bool(each.claims(file))
    except BadInput:
        return False


def test_lines_are_those_of_the_entries(tmp_path: Path) -> None:
    entry = json.loads(har({"text": ""}))["log"]["entries"][0]
    text = '{"log": {"entries": [\n' + json.dumps(entry) + ",\n\n" + json.dumps(entry) + "]}}"
    assert [each.line for each in read(tmp_path, text).interactions] == [2, 4]
    text = SAMPLES["httpmock"][1].decode()
    assert [each.line for each in read(tmp_path, f"{text}---\n{text}").interactions] == [1, 16]
    trace = SAMPLES["httprr"][1]
    twice = read(tmp_path, trace + trace.partition(b"\n")[2]).interactions
    assert trace.splitlines()[1] == (trace + trace.partition(b"\n")[2]).splitlines()[twice[1].line - 1][-8:].lstrip(
        b"}"
    )


# --- what is left out is named ------------------------------------------------------------------------------


def test_an_entry_that_is_no_exchange_is_left_out_and_named(tmp_path: Path) -> None:
    archive = json.loads(har({"text": "{}"}))
    whole = archive["log"]["entries"][0]
    unanswered = {**whole, "response": {"status": 0, "headers": [], "content": {}}}
    bare = {**whole, "response": {**whole["response"], "content": {"size": 20}}}
    archive["log"]["entries"] = [whole, unanswered, bare]
    found = read(tmp_path, archive)
    assert len(found.interactions) == 1
    assert [re.sub(r".*:1: ", "", each) for each in found.left_out] == [
        "entry 2: the request was not answered",
        "entry 3: response: content: has no 'text'; the archive was made without bodies",
    ]


def test_a_broken_interaction_of_a_cassette_makes_the_file_unreadable(tmp_path: Path) -> None:
    cassette = json.loads(SAMPLES["opencode"][1])
    cassette["interactions"].append({"request": {}})
    assert refused(tmp_path, cassette).startswith("F:1: interaction 2: ")


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (SAMPLES["httprr"][1][:-9], "F:2: entry 1: the file ends before this exchange does"),
        (b"httprr trace v1\nno\n", "F:2: expected the lengths of a request and a response"),
        (
            "when: {path_contains: x}\nthen: {status: 200}\n",
            "F:1: entry 1: when: expected 'path' and 'method'; this mock",
        ),
        (
            {"request": {"urlPattern": "/v1/.*", "method": "POST"}, "response": {"status": 200}},
            "F:1: entry 1: request: has a pattern in place of its 'url'",
        ),
        (
            {"request": {"url": "/a", "method": "POST"}, "response": {"status": 200, "bodyFileName": "../secret"}},
            "F:1: entry 1: response: bodyFileName: ",
        ),
        (
            {
                "entries": [
                    {"request": {"body": {"kind": "form"}, "url": URL, "method": "GET"}, "response": {"body": None}}
                ]
            },
            "F:1: entry 1: request: body: expected a body of kind json, text, sse or base64, got {'kind': 'form'}",
        ),
        (
            {"log": {"entries": [{"request": {"method": "GET", "url": "u"}, "response": {"status": 99}}]}},
            "F:1: entry 1: response: status: expected an HTTP status such as 200, got 99",
        ),
        ({"requests": [{}], "responses": []}, "F:1: entry 1: has no response at its place in 'responses'"),
    ],
)
def test_a_file_of_which_nothing_can_be_read(content: Any, problem: str, tmp_path: Path) -> None:
    assert problem in refused(tmp_path, content)


def test_a_body_in_a_file_beside_is_read_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "__files").mkdir()
    (tmp_path / "__files" / "body.json").write_text(json.dumps(ANSWER))
    (tmp_path / "mappings").mkdir()
    stub = json.loads(SAMPLES["WireMock"][1])
    stub["response"] = {"status": 200, "bodyFileName": "body.json"}
    (one,) = read(tmp_path, stub, "mappings/one.json").interactions
    assert json.loads(one.response) == ANSWER
    for place, name in (("mappings/two.json", "../secret"), ("mappings/three.json", str(tmp_path / "secret"))):
        stub["response"]["bodyFileName"] = name
        with pytest.raises(BadInput, match="expected a file in __files"):
            read(tmp_path, stub, place)
    (tmp_path / "1.bin").write_bytes(b"attached")
    (one,) = read(tmp_path, har({"_file": "1.bin"}), "x.har").interactions
    assert one.response == b"attached"
    with pytest.raises(BadInput, match="expected the name of a file in the folder"):
        read(tmp_path, har({"_file": "../1.bin"}), "x.har")


# --- bodies of responses ------------------------------------------------------------------------------------


@pytest.mark.parametrize("wire", BODIES)
def test_a_body_says_whose_answer_it_is(wire: str, tmp_path: Path) -> None:
    (one,) = read(tmp_path, BODIES[wire]).interactions
    assert (one.wire, one.method, one.url, one.request) == (wire, "", "", None)
    ping = ': ping\n\nevent: ping\ndata: {"type": "ping"}\n\n'
    found = read(tmp_path, f"{ping}data: {json.dumps(OPENINGS[wire])}\n\ndata: [DONE]\n")
    assert (found.format, found.interactions[0].wire) == ("events", wire)
    found = read(tmp_path, f"{json.dumps(OPENINGS[wire])}\n{json.dumps(OPENINGS[wire])}\n")
    assert (found.format, found.interactions[0].wire) == ("payloads", wire)
    assert found.interactions[0].response == f"data: {json.dumps(OPENINGS[wire])}\n\n".encode() * 2


def test_the_list_of_a_streams_chunks(tmp_path: Path) -> None:
    (one,) = read(tmp_path, [BODIES["gemini-generate"]]).interactions
    assert one.wire == "gemini-generate"


@pytest.mark.parametrize(
    "content",
    [
        {"result": ANSWER},
        {"note": json.dumps(ANSWER)},
        {**ANSWER, "role": "user"},
        {**ANSWER, "content": "text"},
        {"type": "message_start", "message": {}},
        {"object": "response", "output": "text"},
        {"object": "chat.completion", "choices": None},
        {"candidates": ["Alice", "Bob"]},
        {"candidates": [{"name": "Alice"}]},
        {"candidates": []},
        [],
        [1, ANSWER],
        [[ANSWER]],
        {},
        "null",
        "A log of a run:\n\n    {'type': 'message', 'object': 'chat.completion'}\n",
        f'data: {{"hello": 1}}\n\n{STREAM}',
        'event: error\ndata: {"type": "error", "error": {"message": "x"}}\n\n',
        "data: no JSON\n\n",
        '{"level": "info"}\n{"level": "info", "message": "\\"object\\": \\"response\\""}\n',
    ],
)
def test_an_unknown_file_is_never_taken_for_a_response(content: Any, tmp_path: Path) -> None:
    problem = refused(tmp_path, content)
    assert "no known format of recordings: got " in problem
    assert all(each.sign in problem for each in FORMATS)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("flows of mitmproxy", b"5432:7:version;2:21#\xff"),
        ("exchanges in the form of a corpus", '{"file": "a", "index": 0, "request": null, "response": {}}\n' * 2),
        ("a trace of the harness", '{"record": "case"}\n{"record": "event"}\n'),
        ("calls of an SDK with its objects", '{"method": "generateContent", "response": {"candidates": []}}'),
        ("Llama Stack's objects of an SDK", {"request": {"method": "POST", "url": "http://h/"}, "response": {
            "body": [], "is_streaming": True, "status": 200}}),
        ("a recorded run of a loop", {"script": [], "events": [], "requests": [], "outcome": {}}),
        ("a scenario", "scenario: a\nprofile: universal\n"),
        ("a single request", ASKED),
    ],
)  # fmt: skip
def test_what_lies_among_recordings_is_named(name: str, content: Any, tmp_path: Path) -> None:
    advice = next(each.advice for each in OTHERS if each.name == name)
    assert refused(tmp_path, content) == f"F: expected a recording, got {name}; {advice}"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (
            b"\xff\xfe\x00",
            "F: is in no known format of recordings: got bytes that are no text, which begin with ff fe 00",
        ),
        (b" \n", "F: is empty; expected a cassette"),
        (b"\x1f\x8b\x08broken", "F: the body is broken gzip data"),
        ('{"a": ', "F:1:7: expected JSON"),
        ("[" * 100_000, "F: is nested too deeply to be a cassette"),
    ],
)
def test_broken_files(content: Any, problem: str, tmp_path: Path) -> None:
    assert problem in refused(tmp_path, content)


def test_bodies_of_other_types(tmp_path: Path) -> None:
    """Bytes that are no text, in base64; a text under a JSON type; a request without a body."""
    session = json.loads(SAMPLES["SessionRecords"][1])
    entry = session["Entries"][0]
    entry |= {
        "RequestBody": None,
        "ResponseHeaders": {"Content-Type": "application/octet-stream"},
        "ResponseBody": base64.b64encode(b"\x00\xff").decode(),
    }
    (one,) = read(tmp_path, session).interactions
    assert (one.request, one.response) == (None, b"\x00\xff")
    entry |= {"ResponseHeaders": {"Content-Type": "application/json"}, "ResponseBody": [1, 2]}
    assert json.loads(read(tmp_path, session).interactions[0].response) == [1, 2]
    entry |= {"ResponseHeaders": {"Content-Type": "application/octet-stream"}, "ResponseBody": "no base64"}
    assert "ResponseBody: expected base64" in refused(tmp_path, session)
