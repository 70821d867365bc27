"""A corpus as it is read: both forms of the file, odd members, and everything that can be wrong with it."""

from __future__ import annotations

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from harness.cassette.recordings.corpus import read_corpus
from harness.errors import BadInput
from tests.case_tables import from_table
from tests.recorded.corpus.recordings import line, recorded, write_corpus

GOOD = line(recorded("openai-chat", b"{}"))


def problems(folder: Path) -> tuple[str, ...]:
    with pytest.raises(BadInput) as raised:
        read_corpus(folder)
    return raised.value.problems


def written(folder: Path, content: bytes, name: str = "exchanges.jsonl") -> Path:
    (folder / name).write_bytes(content)
    return folder


def with_lines(folder: Path, *lines: Any) -> Path:
    return written(folder, "".join(json.dumps(each) + "\n" for each in lines).encode())


def test_the_plain_and_the_compressed_file_say_the_same(tmp_path: Path) -> None:
    plain = write_corpus(tmp_path / "plain", recorded("openai-chat", b"{}"))
    packed = tmp_path / "packed"
    packed.mkdir()
    written(packed, gzip.compress((plain / "exchanges.jsonl").read_bytes()), "exchanges.jsonl.gz")
    assert read_corpus(plain).exchanges == read_corpus(packed).exchanges == (recorded("openai-chat", b"{}"),)


def test_what_recorders_leave_out_or_write_otherwise(tmp_path: Path) -> None:
    response = {"status": None, "headers": {"Content-Type": ["text/event-stream"], "X": []}, "body": None}
    binary = {"status": 200, "headers": None, "body": {"base64": base64.b64encode(b"\xff\x00").decode()}}
    folder = with_lines(
        tmp_path,
        {"file": "a", "index": 0, "provider": "p", "api": "x", "request": None, "response": response},
        {**GOOD, "response": binary},
    )
    bare, bytes_ = read_corpus(folder).exchanges
    assert (bare.status, bare.method, bare.url, bare.request, bare.response) == (200, "POST", "", None, None)
    assert bare.headers == {"content-type": "text/event-stream"}
    assert bare.streamed
    assert bytes_.response == b"\xff\x00"


@from_table(__file__, "test_the_wire_of_an_exchange_is_told_by_its_path")
def test_the_wire_of_an_exchange_is_told_by_its_path(url: str, method: str, api: str, wire: str | None) -> None:
    assert recorded("openai-chat", b"", url=url, method=method, api=api).wire == wire


# --- bad input ----------------------------------------------------------------------------------------------


def test_a_folder_that_is_not_there_or_is_none_or_holds_no_corpus(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    empty = tmp_path / "empty"
    empty.mkdir()
    expected = "expected the folder that contains exchanges.jsonl.gz"
    assert problems(tmp_path / "gone") == (f"{tmp_path / 'gone'}: does not exist; {expected}",)
    assert problems(file) == (f"{file}: is not a folder; {expected}",)
    assert "contains no exchanges.jsonl.gz and no exchanges.jsonl" in problems(empty)[0]


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_a_file_without_exchanges(content: bytes, tmp_path: Path) -> None:
    (problem,) = problems(written(tmp_path, content))
    assert "contains no exchange; expected one JSON object per line" in problem


@from_table(__file__, "test_a_member_of_the_wrong_kind_is_named_with_its_line")
def test_a_member_of_the_wrong_kind_is_named_with_its_line(changed: dict[str, Any], said: str, tmp_path: Path) -> None:
    (problem,) = problems(with_lines(tmp_path, GOOD, {**GOOD, **changed}))
    assert problem.startswith(f"{tmp_path / 'exchanges.jsonl'}:2: {said}")


def test_lines_that_are_no_objects_are_all_told(tmp_path: Path) -> None:
    path = tmp_path / "exchanges.jsonl"
    found = problems(written(tmp_path, b'{"file": \n[1]\n\n"x"\n' + b"[" * 100_000))
    assert found[0].startswith(f"{path}:1:10: expected one JSON object per line: Expecting value")
    assert found[1] == f"{path}:2: expected an object with file, index, request and response, got [1]"
    assert found[2].startswith(f'{path}:4: expected an object with file, index, request and response, got "x"')
    assert found[3] == f"{path}:5: expected an exchange, got JSON that is nested too deeply"


def test_a_foreign_file_is_told_briefly(tmp_path: Path) -> None:
    found = problems(written(tmp_path, b"a,b,c\n" * 500))
    assert len(found) == 11
    assert found[-1].endswith("490 more lines like these")


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    (problem,) = problems(written(tmp_path, json.dumps(GOOD).encode() + b"\n\xff\xfe\n"))
    assert problem == f"{tmp_path / 'exchanges.jsonl'}:2: expected UTF-8, got byte 0xff"


PACKED = gzip.compress(b"".join(json.dumps({**GOOD, "index": n}).encode() + b"\n" for n in range(500)), mtime=0)


@pytest.mark.parametrize(
    "content",
    [b"not gzip at all", PACKED[: len(PACKED) // 2], PACKED[:200] + bytes(50) + PACKED[250:]],
    ids=["no gzip", "cut", "damaged"],
)
def test_a_compressed_file_that_is_broken(content: bytes, tmp_path: Path) -> None:
    (problem,) = problems(written(tmp_path, content, "exchanges.jsonl.gz"))
    assert problem.startswith(f"{tmp_path / 'exchanges.jsonl.gz'}:")
    assert "broken gzip data" in problem
    assert problem.endswith("copy or unpack the file anew")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    folder = write_corpus(tmp_path, recorded("openai-chat", b"{}"))
    monkeypatch.setattr(Path, "open", refuse)
    assert problems(folder) == (f"{folder / 'exchanges.jsonl'}: cannot be read: Permission denied",)
