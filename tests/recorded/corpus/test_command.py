"""``harness lab corpus`` as a person meets it, and once over all the shared recordings."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from harness.cli import main
from harness.loop.session import ProviderTurn
from harness.targets.clients import Clients
from harness.wire import NATIVE_WIRES, Call, FinishReason, Text, Turn
from harness_lab.recorded.sessions.judge import Judge
from tests.recorded.corpus.recordings import recorded, spoiling, spoken, write_corpus
from tests.recorded.corpus.shared_exchanges import all_exchanges, judged_requests

Command = Callable[..., tuple[int, list[str], list[str]]]


@pytest.fixture
def corpus(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run the command; its exit code, and the lines of standard output and of standard error."""

    def call(*arguments: object) -> tuple[int, list[str], list[str]]:
        with pytest.raises(SystemExit) as left:
            main(["lab", "corpus", *map(str, arguments)])
        printed = capsys.readouterr()
        return int(left.value.code or 0), printed.out.splitlines(), printed.err.splitlines()

    return call


@pytest.fixture
def small(tmp_path: Path) -> Path:
    turn = Turn((Text("Hi"), Call("f", "{}")), FinishReason.TOOL_CALLS)
    return write_corpus(
        tmp_path / "small",
        spoken("openai-chat", turn),
        spoken("anthropic-messages", turn, stream=False),
        recorded("openai-chat", b"{}", url="https://a/v1/files", file="a\x1b[31m.yaml"),
    )


@pytest.mark.exhaustive
def test_every_shared_recording_agrees(shared: Path, corpus: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred side endpoints and ten Gemini responses that its SDK never asks for are all that is not judged."""
    monkeypatch.setattr("harness_lab.recorded.requests.requests.judge_requests", lambda _: judged_requests(shared))
    code, out, err = corpus(shared / "corpus", "--whole")
    assert out[-1] == "2336 exchanges: 2226 parsed, 2226 agreed, 0 disagreed, 110 unsupported"
    assert code == 0
    assert [line for line in out if line.startswith("NOT RECOGNISED")] == []
    assert [line for line in out if line.startswith("ACCEPTED AGAINST")] == []
    assert counts(out, "provider") == {
        "anthropic": [362, 358, 358, 0, 4],
        "gemini": [378, 356, 356, 0, 22],
        "multi": [64, 64, 64, 0, 0],
        "openai": [934, 852, 852, 0, 82],
        "openai-compatible": [598, 596, 596, 0, 2],
    }
    assert counts(out, "wire") == {
        "anthropic-messages": [382, 382, 382, 0, 0],
        "gemini-generate": [383, 373, 373, 0, 10],
        "none": [100, 0, 0, 0, 100],
        "openai-chat": [909, 909, 909, 0, 0],
        "openai-responses": [562, 562, 562, 0, 0],
    }
    assert {name: row[2] for name, row in counts(out, "feature").items()} == FEATURES
    told = out[out.index(next(line for line in out if line.startswith("put back"))) :]
    assert [line.split(":")[0].split() for line in told if ": " in line and line.startswith("   ")] == [
        *(["12", "event", "names"], ["6", "last", "blank", "line"], ["7", "several", "in", "one", "body"]),
        *(["9", "JSON", "array"], ["100", "side", "endpoint"]),
        *(["7", "numeric", "enums"], ["3", "streamed", "arguments"]),
    ]
    assert err[0] == "judging 2336 exchanges"
    assert len(err) == 11


@pytest.mark.exhaustive
def test_the_second_set_of_recordings_agrees(shared: Path, corpus: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "harness_lab.recorded.requests.requests.judge_requests", lambda _: judged_requests(shared, "corpus2")
    )
    code, out, _ = corpus(shared / "corpus2", "--whole")
    assert (code, out[-1]) == (0, "948 exchanges: 921 parsed, 921 agreed, 0 disagreed, 27 unsupported")
    assert [line for line in out if line.startswith(("NOT RECOGNISED", "ACCEPTED AGAINST"))] == []
    assert counts(out, "wire")["bedrock-converse"] == [279, 279, 279, 0, 0]


@pytest.mark.exhaustive
def test_shared_streams_agree_again_when_cut_apart(shared: Path, corpus: Command, tmp_path: Path) -> None:
    """Every seventh: the pieces are joined again before anything of a wire is read."""
    with gzip.open(shared / "corpus" / "exchanges.jsonl.gz") as lines:
        packed = [line for line, exchange in zip(lines, all_exchanges(shared), strict=True) if exchange.streamed]
    (tmp_path / "exchanges.jsonl").write_bytes(b"".join(packed[::7]))
    code, out, _ = corpus(tmp_path)
    assert code == 0
    assert out[-1] == (
        "123 exchanges: 122 parsed, 122 agreed, 0 disagreed, 1 unsupported; 136 streams agreed again when cut apart"
    )
    assert {name for name, row in counts(out, "wire").items() if row[2]} == set(NATIVE_WIRES)


FEATURES = {
    "error status": 219,
    "streamed": 857,
    "whole": 1150,
    "failure inside": 14,
    "text": 1065,
    "beyond ASCII": 232,
    "thinking": 267,
    "signature": 363,
    "call": 953,
    "parallel calls": 153,
    "call without an id of its own": 143,
    "long arguments (1 kB)": 4,
    "bad-JSON arguments": 20,
    "other parts": 169,
    "refusal": 27,
    "max tokens": 61,
    "content filter": 14,
    "pause": 2,
    "empty response": 40,
    "no usage reported": 41,
}
"""How many exchanges have each; ``no response`` is not among them."""


def counts(out: list[str], title: str) -> dict[str, list[int]]:
    """The rows of one table."""
    start = next(at for at, line in enumerate(out) if line.startswith(f"{title} "))
    rows = out[start + 1 : out.index("", start)]
    return {row.rsplit(maxsplit=5)[0].strip(): [int(cell) for cell in row.rsplit(maxsplit=5)[1:]] for row in rows}


def test_only_the_chosen_wires_and_only_whole_streams(small: Path, corpus: Command) -> None:
    code, out, _ = corpus(small)
    assert (code, out[-1]) == (
        0,
        "3 exchanges: 2 parsed, 2 agreed, 0 disagreed, 1 unsupported; 1 streams agreed again when cut apart",
    )
    _, out, _ = corpus(small, "--wire", "openai-chat", "--whole")
    assert out[-1] == "1 exchanges: 1 parsed, 1 agreed, 0 disagreed, 0 unsupported"


def test_names_of_recordings_cannot_drive_the_terminal(small: Path, corpus: Command) -> None:
    _, out, _ = corpus(small)
    assert "        for example a\\x1b[31m.yaml#0" in out


def test_a_planted_disagreement_is_shown_and_exits_1(
    small: Path, corpus: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def callless(turn: ProviderTurn) -> ProviderTurn:
        return replace(turn, tool_calls=())

    monkeypatch.setattr(Clients, "open_session", spoiling(Clients.open_session, callless))
    code, out, _ = corpus(small)
    assert code == 1
    assert "DISAGREED openai-chat someone/openai-chat.yaml#0" in out
    assert "  calls: expected ['f'], got []" in out
    assert out[-1] == "3 exchanges: 2 parsed, 0 agreed, 2 disagreed, 1 unsupported"


def test_a_request_that_was_accepted_against_a_rule_is_shown_and_is_no_failure(tmp_path: Path, corpus: Command) -> None:
    request = b'{"model": "gpt-4o", "messages": []}'
    spoken_to = replace(spoken("openai-chat", Turn((Text("Hi"),))), request=request)
    code, out, _ = corpus(write_corpus(tmp_path / "one", replace(spoken_to, file="\x1b.yaml")))
    assert code == 0
    assert "ACCEPTED AGAINST OAC-01 openai-chat \\x1b.yaml#0 (with memory)" in out
    assert out[-1].startswith("1 exchanges: 1 parsed, 1 agreed, 0 disagreed")


def test_a_refusal_without_a_rule_is_listed_with_its_reason(tmp_path: Path, corpus: Command) -> None:
    request = b'{"model": "m", "messages": [{"role": "user", "content": "a"}]}'
    error = b'{"error": {"message": "`tool calling` is not supported with this model"}}'
    one = recorded("openai-chat", error, request=request, status=400)
    groq = replace(one, url="https://api.groq.com/openai/v1/chat/completions")
    code, out, _ = corpus(write_corpus(tmp_path / "one", groq))
    assert code == 0
    at = out.index("refused, and no rule says why")
    assert out[at + 1] == "     1  ability: tools, Groq: `tool calling` is not supported with this model"


def test_a_continuation_error_that_no_rule_says_exits_1(tmp_path: Path, corpus: Command) -> None:
    request = b'{"model": "gpt-4o", "messages": [{"role": "user", "content": "a"}]}'
    error = b'{"error": {"message": "messages[0] is not to my taste", "type": "invalid_request_error"}}'
    code, out, _ = corpus(write_corpus(tmp_path / "one", recorded("openai-chat", error, request=request, status=400)))
    assert code == 1
    assert "  HTTP 400: messages[0] is not to my taste" in out


def test_what_cannot_be_read_exits_2(tmp_path: Path, small: Path, corpus: Command) -> None:
    code, out, err = corpus(tmp_path / "gone")
    assert (code, out) == (2, [])
    assert err == [f"error: {tmp_path / 'gone'}: does not exist; expected a folder of recordings, or one of them"]
    code, out, err = corpus(small, "--wire", "gemini-generate")
    assert (code, out) == (2, [])
    assert err == [f"error: {small}: none of its 3 exchanges is of gemini-generate"]


def test_an_interrupted_run_tells_what_it_has(small: Path, corpus: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    judge = Judge.judge

    async def interrupted(self: Judge, exchange: object) -> object:
        if "anthropic" in exchange.url:  # type: ignore[attr-defined]
            raise KeyboardInterrupt
        return await judge(self, exchange)  # type: ignore[arg-type]

    monkeypatch.setattr(Judge, "judge", interrupted)
    code, out, err = corpus(small)
    assert code == 130
    assert out[-1].startswith("1 exchanges: 1 parsed, 1 agreed")
    assert err[-1] == "interrupted after 1 of 3 exchanges"
