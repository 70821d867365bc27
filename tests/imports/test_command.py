"""What the import prints and writes, and that what it has written runs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cassette import read_cassette
from harness.cassette.replay_transport import ReplayTransport
from harness.cli import main
from harness.cli.cassettes.import_recordings import import_recordings
from harness.errors import BadInput
from harness.imports import Replayer
from harness.secrets.scan import scan
from harness.wire import NATIVE_WIRES
from tests.imports.exchanges import Exchange, loop, question, write_vcr
from tests.imports.replaying import Breaking
from tests.imports.test_replay import DropsThinking


def run(out: Path, results: Path) -> int:
    """``harness run --source cassette`` on what was written."""
    words = ["run", "--source", "cassette", "--cassettes", out, out / "scenarios", "-j", "1", "--out", results]
    with pytest.raises(SystemExit) as left:
        main(list(map(str, words)))
    return int(left.value.code or 0)


def test_the_report_names_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first, last = loop("anthropic-messages")
    write_vcr(tmp_path / "loops.yaml", *loop("openai-chat"), question("openai-chat"), first)
    write_vcr(tmp_path / "end.yaml", last)
    (tmp_path / "notes.json").write_text("{}", encoding="utf-8")
    assert import_recordings(tmp_path) == 0
    out = capsys.readouterr().out
    printed = out.splitlines()
    assert printed[0] == "5 exchanges in 2 files"
    assert printed[1].startswith("  not read: ")
    assert "notes.json" in printed[1]
    assert "     1  beginning not recorded: the first recorded request already has turns of the model" in "\n".join(
        printed
    )
    assert "     2  a question by itself, with no request that goes on" in printed
    assert printed[-1] == "2 loops: 1 replayed, 0 replayed with named differences, 1 not replayable, 0 failed"


def test_a_continuation_that_nothing_explains_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_vcr(tmp_path / "loop.yaml", *loop("anthropic-messages"))
    plain = Replayer.__init__
    monkeypatch.setattr(
        Replayer, "__init__", lambda self: plain(self, memory := ReplayTransport(), Breaking(memory, DropsThinking))
    )
    assert import_recordings(tmp_path) == 1
    printed = capsys.readouterr().out
    assert "FAILED anthropic-messages loop.yaml#" in printed
    assert "'Two cities.'" in printed
    assert printed.endswith("0 not replayable, 1 failed\n")


def test_what_is_written_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for wire in NATIVE_WIRES:
        write_vcr(tmp_path / "foreign" / wire / "weather.yaml", *loop(wire))
    out = tmp_path / "imported"
    assert import_recordings(tmp_path / "foreign", out) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("0 failed; 4 written")
    assert sorted(each.parent.name for each in out.glob("*/*.yaml")) == sorted(NATIVE_WIRES)
    cassette = read_cassette(out / "openai-chat" / "weather-3.yaml")
    assert cassette.provenance is not None
    assert (cassette.provenance.source, cassette.provenance.server) == ("live", "api.openai.com")
    assert json.loads(cassette.interactions[0].response) == loop("openai-chat")[0].response
    assert run(out, tmp_path / "results") == 0
    assert "4 passed" in capsys.readouterr().out


def test_words_of_the_user_and_failing_tools_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_vcr(tmp_path / "foreign" / "failing.yaml", *_failing())
    write_vcr(tmp_path / "foreign" / "talking.yaml", *_talking())
    out = tmp_path / "imported"
    assert import_recordings(tmp_path / "foreign", out) == 0
    scenarios = [each.read_text(encoding="utf-8") for each in sorted((out / "scenarios").rglob("*.yaml"))]
    assert "raises: no such city" in scenarios[0]
    assert "profile: tool-runner" in scenarios[1]
    capsys.readouterr()
    assert run(out, tmp_path / "results") == 0
    assert "2 passed" in capsys.readouterr().out


def _failing() -> list[Exchange]:
    def failed(request: dict[str, Any]) -> None:
        for result in request["messages"][-1]["content"]:
            result |= {"content": "no such city", "is_error": True}

    first, last = loop("anthropic-messages")
    return [first, last.asking(failed)]


def _talking() -> list[Exchange]:
    def talked(request: dict[str, Any]) -> None:
        said = [{"role": "assistant", "content": "Rome."}, {"role": "user", "content": "Why?"}]
        request["messages"] = [*request["messages"][:2], *said]

    first, last = loop("openai-chat")
    assert isinstance(first.response, dict)
    return [replace(first, response=last.response), last.asking(talked)]


def test_secrets_are_not_written(tmp_path: Path) -> None:
    secret = "sk-" + "proj-" + "Ab1" * 16
    first, last = loop("openai-chat", f"My key is {secret}.")
    write_vcr(tmp_path / "foreign" / "key.yaml", first, last)
    out = tmp_path / "imported"
    assert import_recordings(tmp_path / "foreign", out) == 0
    written = [each.read_text(encoding="utf-8") for each in out.rglob("*.yaml")]
    assert len(written) == 2
    assert not any(secret in text or scan(text) for text in written)


def test_a_folder_with_something_in_it_is_not_written_to(tmp_path: Path) -> None:
    write_vcr(tmp_path / "foreign" / "loop.yaml", *loop("openai-chat"))
    with pytest.raises(BadInput, match="is not empty"):
        import_recordings(tmp_path / "foreign", tmp_path)
