"""What we write is what we read, what plain vcrpy reads, and what a person can read."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx2
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from harness.cassette import Cassette, Delivery, Interaction, OverSocket, Provenance, read_cassette
from harness.cassette.write import document, written
from harness.errors import BadInput
from tests.case_tables import from_table
from tests.sdks import openai, vcr

PROVENANCE = Provenance("live", "two-calls", "openai-chat", "reference", "a server 1.0", "gpt-x", "2026-11-22", "0.1")

ONE = Interaction(
    method="POST",
    url="https://a/v1/chat/completions",
    request_headers={"content-type": ("application/json",)},
    request=b'{"model": "gpt-x"}',
    status=200,
    response_headers={"content-type": ("text/event-stream",)},
    response=b'data: {"a": 1}\n\ndata: [DONE]\n\n',
)


def kept(folder: Path, interactions: list[Interaction], provenance: Provenance | None = PROVENANCE) -> Path:
    path = folder / "cassette.yaml"
    path.write_bytes(document(provenance, map(written, interactions)).encode())
    return path


def read(path: Path) -> Cassette:
    """The cassette as it was before it had lines."""
    cassette = read_cassette(path)
    return replace(cassette, interactions=tuple(replace(each, line=0) for each in cassette.interactions))


# --- round trips --------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
LINES = st.lists(
    st.sampled_from(
        [
            "",
            "data: {}",
            " ",
            "\t",
            " indented",
            "\tindented",
            "end ",
            "é€😀",
            '"\\',
            "# no",
            "- no",
            "a: b",
            "...",
            "---",
        ]
    ),
    max_size=8,
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n", "\x85", "\u2028"])
TEXTS = st.builds(lambda lines, end, last: end.join(lines) + last, LINES, ENDS, st.sampled_from(["", "\n", "\n\n"]))
BODIES = st.one_of(st.binary(max_size=60), TEXT.map(str.encode), TEXTS.map(str.encode))
NAMES = (
    st.text(st.characters(codec="utf-8"), max_size=12)
    .map(str.lower)
    .filter(lambda name: name == name.lower() and name not in ("content-encoding", "content-length"))
)
HEADERS = st.dictionaries(NAMES, st.lists(TEXT, min_size=1, max_size=3).map(tuple), max_size=3)
WAITS = st.floats(min_value=0, max_value=1e9, allow_nan=False)


@st.composite
def interactions(draw: st.DrawFn) -> Interaction:
    response = draw(BODIES)
    delivery = None
    if draw(st.booleans()):
        cuts = sorted(draw(st.lists(st.integers(0, len(response)), max_size=4)))
        chunks = tuple(end - start for start, end in zip([0, *cuts], [*cuts, len(response)], strict=True))
        waits = tuple(draw(st.lists(WAITS, min_size=len(chunks), max_size=len(chunks))))
        codes = st.sampled_from([0, 1000, 1011, 4999])
        socket = draw(st.none() | st.builds(OverSocket, st.integers(1, 9), TEXT, codes))
        delivery = Delivery(chunks, waits, draw(st.sampled_from(["eof", "cut", "reset", "closed"])), socket)
    return Interaction(
        method=draw(st.sampled_from(["GET", "POST"])),
        url="https://a/" + draw(TEXT),
        request_headers=draw(HEADERS),
        request=draw(st.none() | BODIES),
        status=draw(st.integers(100, 599)),
        response_headers=draw(HEADERS),
        response=response,
        delivery=delivery,
    )


@settings(max_examples=150, deadline=None)
@example([replace(ONE, response=b"\x1f\x8b is no gzip data")])
@example([replace(ONE, response=b"", delivery=Delivery((), (), "reset"))])
@given(st.lists(interactions(), max_size=3))
def test_whatever_is_written_is_read(tmp_path_factory: pytest.TempPathFactory, written_: list[Interaction]) -> None:
    """By the harness, which writes it again as it was, and by vcrpy, as it reads a file.

    vcrpy does so in text mode, which is not kind to carriage returns.
    """
    path = kept(tmp_path_factory.mktemp("cassettes"), written_)
    cassette = read(path)
    assert cassette.provenance == PROVENANCE
    assert list(cassette.interactions) == written_
    assert document(cassette.provenance, map(written, cassette.interactions)).encode() == path.read_bytes()

    requests, responses = vcr.serialize.deserialize(path.read_text(encoding="utf-8"), vcr.serializers.yamlserializer)
    assert [(each.method, each.uri, each.body) for each in requests] == [
        (each.method, each.url, each.request) for each in written_
    ]
    assert [(each["status"]["code"], each["body"]["string"]) for each in responses] == [
        (each.status, each.response) for each in written_
    ]
    assert [each["headers"] for each in responses] == [
        {name: list(values) for name, values in each.response_headers.items()} for each in written_
    ]


@pytest.mark.parametrize("body", ["\u00a0", "a\n\u3000\nb", "\u2003\n", "\u00a0\n\n\u00a0a"])
def test_a_line_of_nothing_but_blanks_beyond_ascii_is_a_line_like_any_other(tmp_path: Path, body: str) -> None:
    """Python takes them for blanks, YAML for text."""
    one = replace(ONE, response=body.encode())
    path = kept(tmp_path, [one])
    assert [each.response for each in read_cassette(path).interactions] == [one.response]
    _, (response,) = vcr.serialize.deserialize(path.read_text(encoding="utf-8"), vcr.serializers.yamlserializer)
    assert response["body"]["string"] == one.response


def test_provenance_may_be_unknown(tmp_path: Path) -> None:
    assert read(kept(tmp_path, [ONE], None)) == Cassette(tmp_path / "cassette.yaml", (ONE,), None)


def test_lines(tmp_path: Path) -> None:
    path = kept(tmp_path, [ONE, ONE])
    lines = path.read_text().split("\n")
    assert [lines[each.line - 1] for each in read_cassette(path).interactions] == ["- request:"] * 2


# --- what stands there --------------------------------------------------------------------------------------


def test_the_file_is_for_people() -> None:
    delivery = Delivery((16, 14), (120.5, 3.0))
    text = (Path(__file__).parent / "data" / "write_for_people.yaml").read_text(encoding="utf-8")
    assert document(PROVENANCE, [written(replace(ONE, delivery=delivery))]) == text


def body_of(response: bytes) -> str:
    text = written(replace(ONE, response=response))
    return text.partition("      string: ")[2].removesuffix("  harness: {}\n")


BODY_TEXTS = {
    b"": '""\n',
    b"a": "|-\n        a\n",
    "data: é😀\n\n".encode(): "|+\n        data: é😀\n\n",
    b"data: a\r\n\r\ndata: b\r\n\r\n": '"data: a\\r\\n\\\n        \\r\\n\\\n        data: b\\r\\n\\\n        \\r\\n"\n',
    b"trimmed \n  by editors\n": '"trimmed \\n\\\n        \\  by editors\\n"\n',
    b"  first line\n": "|2\n          first line\n",
    b"\n\n": '"\\n\\\n        \\n"\n',
    b"a\tb\n": "|\n        a\tb\n",
    b"\x1b[1mbold\x1b[0m": '"\\x1b[1mbold\\x1b[0m"\n',
    "\ufeffdata: a\n".encode(): '"\\ufeffdata: a\\n"\n',
    b"\x89PNG\r\n": "!!binary |\n        iVBORw0K\n",
    b"nul \0": "!!binary |\n        bnVsIAA=\n",
}


@pytest.mark.parametrize(("body", "text"), BODY_TEXTS.items())
def test_a_body_is_as_readable_as_yaml_allows(tmp_path: Path, body: bytes, text: str) -> None:
    assert body_of(body) == text
    assert read(kept(tmp_path, [replace(ONE, response=body)])).interactions[0].response == body


def test_headers_that_would_mislead_a_client_are_not_written(tmp_path: Path) -> None:
    headers = {"content-encoding": ("gzip",), "content-length": ("7",), "x-request-id": ("req_1",)}
    one = replace(ONE, request_headers=headers, response_headers=headers)
    (found,) = read(kept(tmp_path, [one, replace(one, request=None)])).interactions[:1]
    assert found.request_headers == {"content-length": ("18",), "x-request-id": ("req_1",)}
    assert found.response_headers == {"content-length": ("30",), "x-request-id": ("req_1",)}


# --- keys of ours that are wrong ------------------------------------------------------------------------------


@from_table(__file__, "test_a_wrong_key_of_ours_is_refused")
def test_a_wrong_key_of_ours_is_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = kept(tmp_path, [replace(ONE, delivery=Delivery((16, 14), (1.5, 2.0)))])
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(BadInput) as refusal:
        read_cassette(path)
    (problem,) = refusal.value.problems
    assert problem.replace(str(path), "F").startswith(message)


# --- plain vcrpy, recording and replaying ------------------------------------------------------------------------

STREAM = (
    b'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-x","choices":'
    b'[{"index":0,"delta":{"role":"assistant","content":"Gr\xc3\xbc"},"finish_reason":null}]}\n\n'
    b'data: {"id":"c1","object":"chat.completion.chunk","created":1,"model":"gpt-x","choices":'
    b'[{"index":0,"delta":{"content":"\xc3\x9fe"},"finish_reason":"stop"}]}\n\n'
    b"data: [DONE]\n\n"
)


@pytest.mark.parametrize("ends", [b"\n", b"\r\n"])
def test_plain_vcrpy_replays_it_to_a_client(tmp_path: Path, ends: bytes) -> None:
    stream = STREAM.replace(b"\n", ends)
    path = kept(tmp_path, [replace(ONE, response=stream)])
    with (
        vcr.use_cassette(str(path), record_mode="none", match_on=["method", "uri", "body"]) as cassette,
        httpx2.Client() as client,
    ):
        answer = client.post(ONE.url, content=ONE.request)
        assert (answer.status_code, answer.reason_phrase, answer.content) == (200, "OK", stream)
        assert cassette.all_played


def test_plain_vcrpy_replays_it_to_the_official_sdk(tmp_path: Path) -> None:
    path = kept(tmp_path, [replace(ONE, response=STREAM, delivery=Delivery((len(STREAM),), (1.0,)))])
    with (
        vcr.use_cassette(str(path), record_mode="none", match_on=["method", "uri"]),
        openai.OpenAI(api_key="none", base_url="https://a/v1", max_retries=0) as client,
        client.chat.completions.create(
            model="gpt-x", messages=[{"role": "user", "content": "hello"}], stream=True
        ) as stream,
    ):
        texts = [chunk.choices[0].delta.content for chunk in stream]
    assert texts == ["Grü", "ße"]


class Answers(BaseHTTPRequestHandler):
    """One answer of each kind that vcrpy writes in its own way."""

    def do_POST(self) -> None:
        body = {"/plain": STREAM, "/packed": gzip.compress(STREAM), "/binary": b"\x89PNG\r\n\x00"}[self.path]
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("content-length", str(len(body)))
        if self.path == "/packed":
            self.send_header("content-encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_arguments: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as listening:
        thread = Thread(target=listening.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}"
        listening.shutdown()
        thread.join()


def test_what_plain_vcrpy_has_recorded_is_read_and_written_as_ours(tmp_path: Path, server: str) -> None:
    path = tmp_path / "vcrpy.yaml"
    asked = [("/plain", "Grüße\n\n".encode()), ("/packed", b'{"a": 1}'), ("/binary", b"\xff\x00")]
    with vcr.use_cassette(str(path), record_mode="all"), httpx2.Client() as client:
        answers = [client.post(f"{server}{place}", content=body).content for place, body in asked]
    recorded = read_cassette(path).interactions
    assert [(each.url, each.request, each.response) for each in recorded] == [
        (f"{server}{place}", body, answer) for (place, body), answer in zip(asked, answers, strict=True)
    ]
    assert [each.delivery for each in recorded] == [None] * 3
    ours = kept(tmp_path, [*recorded], None)
    with vcr.use_cassette(str(ours), record_mode="none", match_on=["method", "uri", "body"]), httpx2.Client() as client:
        assert [client.post(f"{server}{place}", content=body).content for place, body in asked] == answers
