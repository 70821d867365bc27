"""Files of strangers, in every command that reads some: no traceback, nothing fetched, and the right exit code."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Final

import pytest

from tests.commands import run_harness
from tests.scenario.hostile import FINE, HOSTILE, write_all

_GOOD: Final = (Path(__file__).parent / "data" / "hostile_files_good.yaml").read_text(encoding="utf-8")

_VALUES: Final[Mapping[str, str]] = {
    "lists-400": "[" * 400 + "]" * 400,
    "lists-900": "[" * 900 + "]" * 900,
    "lists-100000": "[" * 100_000 + "]" * 100_000,
    "objects-450": '{"a":' * 450 + "1" + "}" * 450,
    "objects-3000": '{"a":' * 3_000 + "1" + "}" * 3_000,
    "digits": "9" * 5_000,
    "nan": "NaN",
    "infinite": "1e999",
    "surrogate": '"\\ud800"',
    "null": "null",
}
"""What is put into files in the place of a value."""


@pytest.fixture(scope="module")
def listener() -> Iterator[socket.socket]:
    """A server that nobody may ask."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.setblocking(False)
        yield server


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run in which all is as it should be."""
    folder = tmp_path_factory.mktemp("good")
    (folder / "small.yaml").write_text(_GOOD, encoding="utf-8")
    words = ("run", folder / "small.yaml", "--target", "wire-only", "--wire", "openai-chat", "--out", folder / "run")
    ended = run_harness(*words, cwd=folder)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return folder / "run"


def _assert_ends_well(codes: tuple[int, ...], *words: str | Path, cwd: Path) -> str:
    ended = run_harness(*words, cwd=cwd)
    said = ended.stdout + ended.stderr
    assert "Traceback" not in said, said[-2_000:]
    assert ended.returncode in codes, said[-2_000:]
    return said


_READERS: Final = (
    ("lint-scenario", "FILE"),
    ("lint-scenario", "FILE", "--format", "json"),
    ("run", "FILE", "--target", "wire-only", "--out", "out"),
    ("baseline", "update", "FILE", "--target", "wire-only", "--baseline", "b.yaml"),
    ("serve", "FILE", "--", "true"),
    ("explain", "FILE"),
    ("list", "FILE"),
)
"""The commands that read scenarios, or are asked to."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize(
    "name", ["ref-http", "ref-file", "ref-relative", "draft-inside", "brackets-300", "pattern-broken"]
)
@pytest.mark.parametrize("words", _READERS, ids=lambda words: "-".join(words[:2]))
def test_no_command_takes_a_hostile_scenario(
    words: tuple[str, ...], name: str, tmp_path: Path, listener: socket.socket
) -> None:
    secret = tmp_path / "secret.json"
    secret.write_text('{"required": ["left-alone"]}', encoding="utf-8")
    port = listener.getsockname()[1]
    path = write_all(tmp_path, {name: HOSTILE[name]}, port=port, file=secret)[name]
    codes = (0,) if words[0] == "list" else (2,)  # a list reads the heads of files only
    said = _assert_ends_well(codes, *(path if word == "FILE" else word for word in words), cwd=tmp_path)
    assert "left-alone" not in said
    with pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.parametrize("name", ["a-member-called-ref", "draft-7", "pattern-of-nested-repeats", "formats", "bidi"])
def test_what_only_looks_hostile_can_be_run(name: str, tmp_path: Path, listener: socket.socket) -> None:
    path = write_all(tmp_path, {name: FINE[name]}, port=listener.getsockname()[1], file=tmp_path)[name]
    _assert_ends_well(
        (0, 1), "run", path, "--target", "wire-only", "--wire", "openai-chat", "--out", "out", cwd=tmp_path
    )
    with pytest.raises(BlockingIOError):
        listener.accept()


_BODIES: Final[Mapping[str, str]] = {
    "openai-chat": '{"model": "m", "messages": [{"role": "user", "content": VALUE}], "tools": [{"type": "function", '
    '"function": {"name": "a", "parameters": {"$ref": "URL", "type": "object", "properties": VALUE}}}]}',
    "openai-responses": '{"model": "m", "input": [{"type": "function_call", "call_id": "a", "name": "a", "arguments": '
    'VALUE}], "tools": [{"type": "function", "name": "a", "parameters": {"$ref": "URL", "properties": VALUE}}]}',
    "anthropic-messages": '{"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": VALUE}], "tools": '
    '[{"name": "a", "input_schema": {"type": "object", "$schema": "URL", "$ref": "URL", "properties": VALUE}}]}',
    "gemini-generate": '{"contents": [{"role": "user", "parts": [{"text": "a"}]}, {"role": "model", "parts": '
    '[{"functionCall": {"name": "a", "args": VALUE}}]}], "tools": [{"functionDeclarations": [{"name": "a", '
    '"parametersJsonSchema": {"$ref": "URL", "properties": VALUE}}]}]}',
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("wire", _BODIES)
@pytest.mark.parametrize("value", _VALUES)
def test_a_request_of_a_stranger_is_judged(value: str, wire: str, tmp_path: Path, listener: socket.socket) -> None:
    url = f"http://127.0.0.1:{listener.getsockname()[1]}/schema.json"
    for body in (_BODIES[wire].replace("URL", url).replace("VALUE", _VALUES[value]), _VALUES[value]):
        (tmp_path / "request.json").write_text(body, encoding="utf-8")
        _assert_ends_well((0, 1, 2), "lint-request", "request.json", "--wire", wire, cwd=tmp_path)
    with pytest.raises(BlockingIOError):
        listener.accept()


def _returns(record: dict[str, object], _value: str) -> None:
    record["returns"] = {"create_file": "VALUE"}


def _started(record: dict[str, object], _value: str) -> None:
    record["input"] = "VALUE"


def _asked(record: dict[str, object], value: str) -> None:
    record["body"] = {"text": f'{{"model": "m", "messages": [{{"role": "user", "content": {value}}}], "x": {value}}}'}


def _answered(record: dict[str, object], value: str) -> None:
    call = {"index": 0, "id": "a", "function": {"name": "create_file", "arguments": value}}
    chunk = json.dumps({"id": "a", "choices": [{"index": 0, "delta": {"tool_calls": [call]}}]})
    record["body"] = {"text": f'data: {chunk}\n\ndata: {{"id": "a", "choices": {value}}}\n\n'}


_DAMAGES: Final[Mapping[str, Callable[[dict[str, object], str], None]]] = {
    "trace": _returns,
    "toolStart": _started,
    "request": _asked,
    "response": _answered,
}


@pytest.mark.sampled(7)
@pytest.mark.parametrize("kind", _DAMAGES)
@pytest.mark.parametrize("value", _VALUES)
def test_a_trace_of_a_stranger_is_judged_or_refused(value: str, kind: str, run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    (trace,) = (copy / "traces").glob("*.jsonl")
    trace.write_text("\n".join(_damaged(trace, kind, _VALUES[value])), encoding="utf-8")
    _assert_ends_well((0, 1, 2), "check", trace, cwd=tmp_path)
    _assert_ends_well((0, 1, 2), "report", copy, "--out", "page", cwd=tmp_path)
    _assert_ends_well((0, 1, 2), "diff", run, copy, cwd=tmp_path)


def _damaged(trace: Path, kind: str, value: str) -> Iterator[str]:
    for line in filter(None, trace.read_text(encoding="utf-8").split("\n")):
        record = json.loads(line)
        if kind in (record.get("event"), record.get("record"), next(iter(record))):
            _DAMAGES[kind](record, value)
            line = json.dumps(record).replace('"VALUE"', value)
        yield line


@pytest.mark.sampled(3)
@pytest.mark.parametrize("value", _VALUES)
def test_results_of_a_stranger_are_shown_or_refused(value: str, run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "runs" / "one")
    whole = json.loads((run / "results.json").read_text(encoding="utf-8"))
    members = [json.dumps({**whole, name: "VALUE"}).replace('"VALUE"', _VALUES[value]) for name in ("cases", "target")]
    for text in (_VALUES[value], *members):
        (copy / "results.json").write_text(text, encoding="utf-8")
        _assert_ends_well((0, 1, 2), "report", copy, "--format", "terminal", cwd=tmp_path)
        _assert_ends_well((0, 1, 2), "diff", run, copy, cwd=tmp_path)
        _assert_ends_well((0, 1, 2), "history", tmp_path / "runs", cwd=tmp_path)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("value", _VALUES)
def test_a_journal_of_a_stranger_is_shown_or_refused(value: str, run: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(run, tmp_path / "run")
    (copy / "results.json").unlink()
    lines = (run / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    wrong = [
        *(json.dumps({**json.loads(lines[0]), name: "VALUE"}) for name in ("journal", "run", "planned", "plan")),
        *(json.dumps({name: "VALUE"}) for name in ("case", "end")),
    ]
    for text in (_VALUES[value], *(each.replace('"VALUE"', _VALUES[value]) for each in wrong)):
        at = int(text.startswith(('{"case"', '{"end"')))
        (copy / "journal.jsonl").write_text("\n".join([*lines[:at], text, *lines[at + 1 :], ""]), encoding="utf-8")
        _assert_ends_well((0, 1, 2), "report", copy, "--format", "terminal", cwd=tmp_path)
        _assert_ends_well((0, 1, 2), "diff", run, copy, cwd=tmp_path)


_CASSETTES: Final[Mapping[str, str]] = {
    "lists": "[" * 50_000,
    "mapping": "{a: " * 50_000,
    "bomb": "a: &a [x, x]\n" + "".join(f"{b}: &{b} [*{a}, *{a}, *{a}]\n" for a, b in pairwise("abcdefghijk")),
    "object": "interactions: !!python/object/apply:os.system [id]\nversion: 1\n",
    "digits": f"interactions: []\nversion: {'9' * 5_000}\n",
    "binary": "\u0000\u0001",
    "empty": "",
    **{
        f"body-{name}": "interactions:\n- request: {method: POST, uri: 'https://api.openai.com/v1/chat/completions', "
        f"headers: {{}}, body: {json.dumps(value)}}}\n  response: {{status: {{code: 200, message: OK}}, headers: "
        f"{{Content-Type: [application/json]}}, body: {{string: {json.dumps(value)}}}}}\nversion: 1\n"
        for name, value in _VALUES.items()
    },
}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", _CASSETTES)
def test_a_cassette_of_a_stranger_is_judged_or_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / "cassettes" / "a.yaml"
    path.parent.mkdir()
    path.write_text(_CASSETTES[name], encoding="utf-8")
    for words in (("lint",), ("list",), ("stats",)):
        _assert_ends_well((0, 1, 2), "cassettes", *words, path.parent, cwd=tmp_path)
    _assert_ends_well((0, 1, 2), "cassettes", "show", path, cwd=tmp_path)
