"""What counts as real, and whose."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness.cassette import Cassette, Interaction, Provenance
from harness.cassette.recordings.recording import RecordedExchange
from harness.errors import BadInput
from harness_lab.recorded.drift import ServerResponse, read_responses
from harness_lab.recorded.reading.servers import of_cassette, of_corpus
from tests.case_tables import from_table
from tests.recorded.corpus.recordings import recorded

BODY = b'{"model": "gpt-5.6", "choices": []}'
CHAT = "https://api.openai.com/v1/chat/completions"
LIVE = Provenance("live", "answer", "openai-chat", "reference", "a server", "a-model", "2026-11-22", "1")


def exchange(**changed: Any) -> RecordedExchange:
    return recorded("openai-chat", BODY, **{"file": "someone/a.yaml", "provider": "openai", **changed})


def recordings(**changed: Any) -> list[ServerResponse]:
    return list(of_corpus([exchange(**changed)]))


@pytest.mark.parametrize(
    ("changed", "server"),
    [
        ({}, "openai"),
        ({"url": "https://openrouter.ai/api/v1/chat/completions"}, "another"),
        ({"url": "https://api.deepseek.com/chat/completions"}, "deepseek"),
        ({"url": "/v1/chat/completions"}, "openai"),
        ({"url": "/v1/chat/completions", "provider": "openai-compatible"}, "another"),
        ({"url": "/v1/chat/completions", "response": b'{"model": "qwen3"}'}, "another"),
        ({"url": "", "response": b'{"error": {}}', "request": b'{"model": "gpt-5.6"}'}, "openai"),
        ({"url": "", "response": b'{"error": {}}'}, "openai"),
        ({"url": "", "response": b'{"model": "deepseek-v4-flash"}', "provider": "openai-compatible"}, "deepseek"),
        ({"url": "", "response": b'{"model": "deepseek-ai/x"}', "provider": "openai-compatible"}, "another"),
    ],
)
def test_whose_server_answered(changed: dict[str, Any], server: str) -> None:
    assert [recording.server for recording in recordings(**changed)] == [server]


@pytest.mark.parametrize(
    "changed",
    [
        {"fidelity": "sdk-objects"},
        {"fidelity": "hand-assembled"},
        {"url": "https://api.openai.com/v1/files"},
        {"response": None},
        {"response": b" \n"},
    ],
)
def test_what_is_no_evidence_is_left_out(changed: dict[str, Any]) -> None:
    assert recordings(**changed) == []


def test_headers_count_where_the_recorder_keeps_them() -> None:
    kept = dict.fromkeys(("content-type", "date", "x-request-id", "server"), "1")
    assert recordings(headers=kept)[0].response.headers == kept
    assert recordings(headers={"content-type": "application/json"})[0].response.headers == {}


# --- cassettes ----------------------------------------------------------------------------------------------

CASSETTE = f"""\
version: 1
interactions:
- request:
    method: POST
    uri: {CHAT}
    body: '{{}}'
    headers: {{}}
  response:
    status: {{code: 200, message: OK}}
    headers: {{content-type: [application/json]}}
    body: {{string: '{BODY.decode()}'}}
"""


def test_a_cassette_and_a_folder_of_them(tmp_path: Path) -> None:
    file = tmp_path / "below" / "one.yaml"
    file.parent.mkdir()
    file.write_text(CASSETTE, encoding="utf-8")
    for path in (file, tmp_path):
        (recording,) = read_responses([path])
        assert (recording.wire, recording.server, recording.response.body) == ("openai-chat", "openai", BODY)
        assert recording.name == f"{file}#3"


def test_a_corpus_and_a_cassette_together(tmp_path: Path) -> None:
    line = {
        **{"file": "a.yaml", "index": 0, "provider": "openai", "api": "openai-chat", "fidelity": "wire"},
        "request": {"method": "POST", "url": CHAT, "headers": {}, "body": None},
        "response": {"status": 200, "headers": {}, "body": {"text": BODY.decode()}},
    }
    (tmp_path / "exchanges.jsonl").write_text(json.dumps(line), encoding="utf-8")
    (tmp_path / "one.yaml").write_text(CASSETTE, encoding="utf-8")
    assert [each.name for each in read_responses([tmp_path, tmp_path / "one.yaml"])] == [
        "a.yaml#0",
        f"{tmp_path / 'one.yaml'}#3",
    ]


@pytest.mark.parametrize(("provenance", "count"), [(None, 1), (LIVE, 1), (replace(LIVE, source="script"), 0)])
def test_what_a_script_answered_is_no_evidence(provenance: Provenance | None, count: int) -> None:
    interaction = Interaction("POST", CHAT, {}, b"{}", 200, {}, BODY)
    assert len([*of_cassette(Cassette(Path("a.yaml"), (interaction,), provenance))]) == count


@from_table(__file__, "test_a_file_without_a_recording_is_bad_input")
def test_a_file_without_a_recording_is_bad_input(tmp_path: Path, content: str, problem: str) -> None:
    (tmp_path / "one.yaml").write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=problem):
        read_responses([tmp_path / "one.yaml"])


def test_an_empty_folder_is_bad_input(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"contains no exchanges\.jsonl\.gz and no exchanges\.jsonl"):
        read_responses([tmp_path])
