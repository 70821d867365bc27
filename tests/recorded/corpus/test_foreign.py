"""Folders of foreign recordings in any format: what is read, what is named, and what the commands make of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.cassette.recordings.as_sent import as_sent
from harness.cassette.recordings.foreign import read_foreign
from harness.cli import main
from harness.errors import BadInput
from harness_lab.recorded.reading.other_apis import OTHER_APIS, other_api
from harness_lab.recorded.reading.servers import of_corpus, read_responses
from tests.case_tables import from_table
from tests.cassette.formats.samples import ANSWER, ASKED, SAMPLES, STREAMS, har
from tests.recorded.corpus.recordings import recorded
from tests.wire.anthropic_messages.test_aws_events import AWS_EVENTS, BODY, EVENTS

Command = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture
def harness(capsys: pytest.CaptureFixture[str]) -> Command:
    def call(*arguments: object) -> tuple[int, list[str], list[str]]:
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out.splitlines(), printed.err.splitlines()

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One file in each format, and some that are none."""
    found = tmp_path / "recordings"
    (found / "deep" / "__files").mkdir(parents=True)
    endings = {"HAR": "har", "httprr": "httprr", "httpmock": "yaml", "langchain-tests": "yaml.gz"}
    for number, (format, content) in enumerate(SAMPLES.values()):
        (found / "deep" / f"{number}.{endings.get(format, 'json')}").write_bytes(content)
    (found / "answer.txt").write_text(json.dumps(ANSWER))
    (found / "notes.txt").write_text("Nothing but words about it.")
    (found / "request.json").write_text(json.dumps(ASKED))
    (found / "deep" / "__files" / "body.json").write_text(json.dumps(ANSWER))
    (found / "picture.png").write_bytes(b"\x89PNG")
    return found


def test_a_folder_is_read_in_every_format_and_the_rest_is_named(folder: Path) -> None:
    found = read_foreign(folder)
    assert len(found.exchanges) == len(SAMPLES) + 1
    assert {each.wire for each in found.exchanges} == {"anthropic-messages"}
    plain = next(each for each in found.exchanges if each.file == "answer.txt")
    assert (plain.fidelity, plain.url, plain.request) == ("response-only", "", None)
    named = sorted(each.replace(f"{folder}/", "").partition(": ")[0] for each in found.unread)
    assert named == ["notes.txt", "request.json"]


def test_the_requests_in_it_are_judged(folder: Path, harness: Command) -> None:
    code, out, _ = harness("lab", "corpus", folder, "--whole")
    assert code == 0
    assert sum(line.startswith("not read: ") for line in out) == 2
    assert out[-1].startswith(f"{len(SAMPLES) + 1} exchanges: {len(SAMPLES) + 1} parsed, {len(SAMPLES) + 1} agreed")
    code, out, _ = harness("cassettes", "import", folder)
    assert code == 0
    assert out[0] == f"{len(SAMPLES) + 1} exchanges in {len(SAMPLES) + 1} files"
    code, out, err = harness("lint-cassette", folder / "deep" / "1.yaml.gz", folder / "deep" / "2.har")
    assert (code, err) == (0, [])
    assert [line.rpartition(": ")[0].rpartition(": ")[2] for line in out] == ["1 request judged", "1 request judged"]
    code, out, _ = harness("cassettes", "show", folder / "deep" / "5.httprr")
    assert code == 0
    assert any("anthropic-messages, m" in line for line in out)


def test_entries_that_are_left_out_are_told(tmp_path: Path, harness: Command) -> None:
    archive = json.loads(har({"text": json.dumps(ANSWER)}))
    archive["log"]["entries"].append({"request": {}, "response": {"status": 0}})
    (tmp_path / "a.har").write_text(json.dumps(archive))
    told = "entry 2: the request was not answered"
    code, out, err = harness("lint-cassette", tmp_path / "a.har")
    assert (code, len(err)) == (0, 1)
    assert err[0].startswith("warning: ")
    assert err[0].endswith(told)
    code, out, _ = harness("lint-cassette", tmp_path / "a.har", "--format", "json")
    assert json.loads("\n".join(out))["files"][0]["warnings"][0].endswith(told)
    assert harness("cassettes", "show", tmp_path / "a.har")[1][1].endswith(told)
    assert read_foreign(tmp_path).unread[0].endswith(told)


def test_where_nothing_is_a_recording_each_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="does not exist"):
        read_foreign(tmp_path / "nowhere")
    with pytest.raises(BadInput, match="contains no recording"):
        read_foreign(tmp_path)
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(BadInput, match="no known format of recordings"):
        read_foreign(tmp_path)
    with pytest.raises(BadInput, match="no known format of recordings"):
        read_responses([tmp_path])


def test_drift_takes_every_format(tmp_path: Path) -> None:
    (tmp_path / "a.har").write_bytes(STREAMS["HAR"][1])
    (one,) = read_responses([tmp_path])
    assert (one.server, one.wire, one.response.streamed) == ("anthropic", "anthropic-messages", True)
    assert [each.response for each in read_responses([tmp_path / "a.har"])] == [one.response]


def test_a_bill_of_copilot_is_no_evidence_of_openai() -> None:
    body = {"object": "response", "model": "gpt-5", "output": []}
    members = {"url": "", "provider": "openai"}
    (maker,) = of_corpus([recorded("openai-responses", json.dumps(body).encode(), **members)])
    (copilot,) = of_corpus(
        [recorded("openai-responses", json.dumps({**body, "copilot_usage": {}}).encode(), **members)]
    )
    assert (maker.server, copilot.server) == ("openai", "another")


# --- what is put back, and what no wire speaks ----------------------------------------------------------------


def test_the_frames_of_bedrock_are_taken_off() -> None:
    url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-3/invoke-with-response-stream"
    exchange = recorded("anthropic-messages", BODY, url=url, headers={"content-type": AWS_EVENTS})
    assert (exchange.wire, exchange.streamed) == ("anthropic-messages", True)
    (response,), restored = as_sent(exchange, "anthropic-messages")
    assert restored == ["frames of AWS"]
    assert response.body.count(b"event: ") == len(EVENTS)
    (response,), _ = as_sent(
        recorded("anthropic-messages", b"no frames at all", url=url, headers=exchange.headers), "anthropic-messages"
    )
    assert response.body == b"no frames at all"


@from_table(__file__, "test_a_format_that_no_wire_speaks_is_named")
def test_a_format_that_no_wire_speaks_is_named(path: str, name: str | None) -> None:
    exchange = recorded("openai-chat", b"{}", url=f"https://a{path}")
    assert exchange.wire is None
    assert other_api(exchange) == name
    assert name is None or name in OTHER_APIS
    assert other_api(recorded("openai-chat", b"{}", url=f"https://a{path}", method="GET")) is None


def test_a_recording_without_a_request_is_of_the_api_that_its_collector_names() -> None:
    assert other_api(recorded("openai-chat", b"{}", url="", api="ollama-chat")) == "Ollama's own"
    assert other_api(recorded("openai-chat", b"{}", url="", api="unheard-of")) is None


@from_table(__file__, "test_the_wire_follows_from_the_path_as_everywhere")
def test_the_wire_follows_from_the_path_as_everywhere(url: str, wire: str | None) -> None:
    assert recorded("openai-chat", b"{}", url=url).wire == wire
