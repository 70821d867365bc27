"""Files that are made to harm: each is refused with its place, exit code 2, and without running what stands in it."""

from __future__ import annotations

import json
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

from harness.cassette import Interaction, read_cassette
from harness.cassette.write import document, written
from harness.cli.main import main
from harness.errors import BadInput
from tests.case_tables import value_of
from tests.commands import run_harness

GOOD = document(None, [written(Interaction("POST", "https://a/", {}, b'{"a": 1}', 200, {}, b"data: 1\n\n"))])
INTERACTION = {"request": {"method": "GET", "uri": "https://a/"}, "response": {"status": {"code": 200}}}


def altered(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


HOSTILE = {
    **{name: (altered(old, new), why) for name, (old, new, why) in value_of(__file__, "ALTERED").items()},
    "a key twice, in JSON": (
        '{"interactions": [\n  {"request": {"method": "GET",\n  "m\\u0065thod": "POST"}}]}',
        "F:3: expected a cassette in JSON: 'method' is here twice",
    ),
    "NUL far behind": (
        altered("data: 1", "é" * 100_000 + "\n        data: \0"),
        "F:19: expected text, got the character U+0000",
    ),
    "NUL in JSON": ('{"interactions": ["\0"]}', "F:1:20: expected JSON: Invalid control character at"),
    "nothing but NUL": ("\0" * 100, "F:1: expected text, got the character U+0000"),
    "the end is missing": (
        GOOD[: GOOD.index("string:")],
        "F:5: interaction 1: expected 'harness' at its end; the file was cut off, or 'harness: {}' is to be added by "
        "hand",
    ),
}


def refused(path: Path) -> list[str]:
    with pytest.raises(BadInput) as refusal:
        read_cassette(path)
    return [problem.replace(str(path), "F") for problem in refusal.value.problems]


def linted(path: Path, capsys: pytest.CaptureFixture[str]) -> tuple[object, str]:
    """The exit code of ``harness lint-cassette`` and what it says is wrong."""
    with pytest.raises(SystemExit) as end:
        main(["lint-cassette", str(path)])
    return end.value.code, capsys.readouterr().err.replace(str(path), "F")


@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_file_is_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    text, message = HOSTILE[kind]
    path = tmp_path / "cassette.yaml"
    path.write_text(text, encoding="utf-8")
    assert refused(path) == [message]
    assert linted(path, capsys) == (2, f"error: {message}\n")
    assert [each.name for each in tmp_path.iterdir()] == ["cassette.yaml"]


@pytest.mark.parametrize("text", [GOOD, json.dumps({"interactions": [INTERACTION] * 2}, indent=1)])
def test_a_file_that_was_cut_is_never_a_shorter_cassette(text: str, tmp_path: Path) -> None:
    """At any byte: a cassette that ends too early is refused, or it has lost nothing but white space."""
    path = tmp_path / "cassette.yaml"
    path.write_text(text)
    whole = read_cassette(path).interactions
    refusals = 0
    for length in range(len(text)):
        path.write_text(text[:length])
        with suppress(BadInput):
            refusals += 1
            assert read_cassette(path).interactions == whole
            refusals -= 1
    assert refusals >= len(text) - 2


def test_a_huge_body_is_refused_before_it_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cassette.yaml"
    head, _, tail = GOOD.partition("data: 1")
    with path.open("w") as file:
        file.write(head)
        file.seek(200 << 20)
        file.write(tail)
    tracemalloc.start()
    try:
        assert refused(path) == ["F: is too long; cassettes of up to 64 MB are read"]
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1 << 20
    assert linted(path, capsys) == (2, "error: F: is too long; cassettes of up to 64 MB are read\n")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no device without an end")
def test_a_file_without_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.cassette.document.MOST_BYTES", 1 << 20)
    with pytest.raises(BadInput, match="is too long"):
        read_cassette(Path("/dev/zero"))


def test_from_outside(tmp_path: Path) -> None:
    """As a user meets it: a process, its exit code, its words."""
    text, message = HOSTILE["an object of Python"]
    path = tmp_path / "cassette.yaml"
    path.write_text(text)
    done = run_harness("lint-cassette", path.name, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"error: {message.replace('F:', 'cassette.yaml:')}\n")
    assert [each.name for each in tmp_path.iterdir()] == ["cassette.yaml"]
