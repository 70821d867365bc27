"""The forms that recorders write, one small file each."""

from __future__ import annotations

import base64
import gzip
import json
import sys
import types
import zlib
from pathlib import Path

import pytest

from harness.cassette import Interaction, read_cassette
from harness.errors import BadInput
from tests.case_tables import from_table

PLAIN = '{"a": 1}'
PACKED = base64.b64encode(gzip.compress(PLAIN.encode(), mtime=0)).decode()

DATA = Path(__file__).parent / "data"
VCRPY = (DATA / "read_vcrpy.yaml").read_text(encoding="utf-8")
DIGITS = (
    "Exceeds the limit (4300 digits) for integer string conversion: value has 5000 digits; use "
    "sys.set_int_max_str_digits() to increase the limit"
)
DEEP = "values are nested more than 200 deep"


def write(tmp_path: Path, text: str | bytes, name: str = "cassette.yaml") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def vcrpy(tmp_path: Path, response: str, *, request: str = "'x'", encoding: str = "''") -> Interaction:
    (one,) = read_cassette(
        write(tmp_path, VCRPY.format(request=request, response=response, encoding=encoding))
    ).interactions
    return one


def test_vcrpy(tmp_path: Path) -> None:
    assert vcrpy(tmp_path, f"{{string: '{PLAIN}'}}") == Interaction(
        method="POST",
        url="https://a/v1/messages",
        request_headers={"content-type": ("application/json",), "x-count": ("3",)},
        request=b"x",
        status=200,
        response_headers={"content-encoding": ("",), "set-cookie": ("a=1", "b=2")},
        response=PLAIN.encode(),
        line=3,
    )


@pytest.mark.parametrize(
    "body",
    [
        f"{{string: '{PLAIN}'}}",
        f"'{PLAIN}'",
        f"{{string: !!binary {PACKED}}}",
        f"{{string: !binary {PACKED}}}",
        f"{{base64_string: {PACKED}}}",
        f"{{encoding: UTF-8, string: '{PLAIN}'}}",
        "{string: !!binary eyJhIjogMX0=}",
    ],
)
def test_every_form_of_a_body(tmp_path: Path, body: str) -> None:
    assert vcrpy(tmp_path, body, request=body).response == PLAIN.encode()
    assert vcrpy(tmp_path, body, request=body).request == PLAIN.encode()


@pytest.mark.parametrize(("body", "read"), [("null", None), ("''", b""), ("{string: null}", None), ("é", "é".encode())])
def test_bodies_that_say_little(tmp_path: Path, body: str, read: bytes | None) -> None:
    one = vcrpy(tmp_path, body, request=body)
    assert (one.request, one.response) == (read, read or b"")


def test_a_body_that_was_parsed_is_json_again(tmp_path: Path) -> None:
    text = VCRPY.format(request="x", response="x", encoding="''").replace("body: x", "parsed_body: {é: [1, null]}")
    (one,) = read_cassette(write(tmp_path, text)).interactions
    assert one.request == one.response == '{"é": [1, null]}'.encode()


def raw_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return squeeze.compress(data) + squeeze.flush()


@pytest.mark.parametrize("packed", [zlib.compress(PLAIN.encode()), raw_deflate(PLAIN.encode())])
def test_deflate_has_two_forms(tmp_path: Path, packed: bytes) -> None:
    body = f"{{string: !!binary {base64.b64encode(packed).decode()}}}"
    assert vcrpy(tmp_path, body, encoding="deflate").response == PLAIN.encode()


@pytest.mark.parametrize("encoding", ["gzip", "br", "deflate", "zstd"])
def test_the_header_of_a_body_that_is_not_packed_means_nothing(tmp_path: Path, encoding: str) -> None:
    assert vcrpy(tmp_path, f"{{string: '{PLAIN}'}}", encoding=encoding).response == PLAIN.encode()


def test_bytes_that_are_no_text_and_not_packed_are_kept(tmp_path: Path) -> None:
    assert vcrpy(tmp_path, "{string: !!binary iVBORw==}").response == b"\x89PNG"


BROTLI = "{string: !!binary /wGA/w==}"


def test_brotli_is_unpacked_where_its_library_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library = types.ModuleType("brotlicffi")
    library.decompress = lambda body: b"unpacked " + body[:1]  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "brotli", None)
    monkeypatch.setitem(sys.modules, "brotlicffi", library)
    assert vcrpy(tmp_path, BROTLI, encoding="br").response == b"unpacked \xff"


def test_go_vcr_and_ruby(tmp_path: Path) -> None:
    (one,) = read_cassette(DATA / "read_go.yaml").interactions
    assert (one.method, one.url, one.request, one.status, one.line) == (
        *("POST", "https://a/v1/messages", b'{"a":1}\n', 201, 4),
    )
    (one,) = read_cassette(DATA / "read_ruby.yaml").interactions
    assert (one.method, one.request, one.status, one.response) == ("POST", PLAIN.encode(), 404, b"{}")


def test_the_json_form_of_vcrpy(tmp_path: Path) -> None:
    """JSON says half a surrogate pair, which YAML cannot, and is told by its first character, not by its name."""
    request = {"method": "POST", "uri": "https://a", "headers": {}, "body": "\ud83d"}
    response = {"status": {"code": 200, "message": ""}, "headers": {}, "body": {"string": PLAIN}}
    cassette = {"version": 1, "interactions": [{"request": request, "response": response}] * 2}
    path = write(tmp_path, json.dumps(cassette, indent=2), "cassette.yaml")
    one, two = read_cassette(path).interactions
    assert (one.request, one.response) == (b"\xed\xa0\xbd", PLAIN.encode())
    lines = path.read_text().split("\n")
    assert [number for number, line in enumerate(lines, 1) if line == "    {"] == [one.line, two.line]


def test_names_of_headers_that_are_objects_of_one_text(tmp_path: Path) -> None:
    """What vcrpy writes for aiohttp's headers."""
    header = "? !!python/object/apply:multidict._multidict.istr [Accept]\n      : [a]"
    text = VCRPY.format(request="x", response="x", encoding="''")
    path = write(tmp_path, text.replace("{Content-Type: [application/json], X-Count: 3}", f"\n      {header}"))
    assert read_cassette(path).interactions[0].request_headers == {"accept": ("a",)}


def test_a_cassette_without_interactions(tmp_path: Path) -> None:
    assert read_cassette(write(tmp_path, "interactions: []\nversion: 1\n")).interactions == ()


def test_aliases_are_followed(tmp_path: Path) -> None:
    text = VCRPY.format(request="&same 'x'", response="{string: *same}", encoding="''")
    assert read_cassette(write(tmp_path, text)).interactions[0].response == b"x"


# --- what cannot be read ------------------------------------------------------------------------------------


def refused(path: Path) -> list[str]:
    with pytest.raises(BadInput) as refusal:
        read_cassette(path)
    return [problem.replace(str(path), "F") for problem in refusal.value.problems]


@from_table(
    __file__,
    "test_what_is_no_cassette",
    pytest.param('{"interactions": ' + "9" * 5000 + "}", f"F: expected JSON: {DIGITS}", id="digits"),
    pytest.param("[" * 100_000, "F: is nested too deeply to be a cassette", id="deep JSON"),
    pytest.param("a: " + "[" * 100_000, f"F:1:202: expected a cassette in YAML: {DEEP}", id="deep YAML"),
)
def test_what_is_no_cassette(tmp_path: Path, text: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert refused(write(tmp_path, text)) == [message]
    assert not (tmp_path / "ran").exists()


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refused(tmp_path / "gone.yaml") == ["F: cannot be read: No such file or directory"]
    assert refused(tmp_path) == ["F: cannot be read: Is a directory"]
    assert refused(write(tmp_path, b"a: 1\nb: \xff\n")) == ["F:2: expected a cassette in UTF-8, got the byte 0xff"]
    monkeypatch.setattr("harness.cassette.document.MOST_BYTES", 2 << 20)
    assert refused(write(tmp_path, b" " * (3 << 20))) == ["F: is too long; cassettes of up to 2 MB are read"]


@from_table(__file__, "test_an_interaction_that_is_none")
def test_an_interaction_that_is_none(tmp_path: Path, text: str, message: str) -> None:
    (problem,) = refused(write(tmp_path, f"version: 1\ninteractions: {text}\n"))
    assert problem.startswith(f"F:2: interaction 1: {message}")


def test_every_broken_interaction_is_told(tmp_path: Path) -> None:
    assert refused(write(tmp_path, "interactions:\n- 1\n- request: 2\n")) == [
        "F:2: interaction 1: expected 'request' and 'response', got 1",
        "F:3: interaction 2: request: expected an object, got 2",
    ]


def test_brotli_without_its_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "brotli", None)
    monkeypatch.setitem(sys.modules, "brotlicffi", None)
    text = VCRPY.format(request="x", response=BROTLI, encoding="br")
    assert refused(write(tmp_path, text)) == [
        "F:3: interaction 1: the body is compressed with brotli; install the package 'brotli', or record it "
        "uncompressed (vcrpy: decode_compressed_response)"
    ]


def test_a_body_that_unpacks_to_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.ground.encoding.MOST_BYTES", 1 << 20)
    bomb = base64.b64encode(gzip.compress(bytes(8 << 20))).decode()
    text = VCRPY.format(request="x", response=f"{{string: !!binary {bomb}}}", encoding="gzip")
    assert refused(write(tmp_path, text)) == [
        "F:3: interaction 1: the body is more than 1 MB when its gzip data is unpacked"
    ]


def test_aliases_that_stand_for_too_much(tmp_path: Path) -> None:
    lists = "".join(f"  a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))
    bomb = f"many:\n  a0: &a0 [{', '.join(['x'] * 10)}]\n{lists}interactions: *a11\n"
    assert refused(write(tmp_path, bomb)) == [
        "F: its aliases expand to more than 5000000 values; no recorder writes that"
    ]
