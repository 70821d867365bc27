"""``harness record`` and what follows from it, beside a model in a process of its own.

Where a model is recorded and replayed, and where nothing may be told, the command is a process of its own, too; else it
is called here, where the SDKs need not be imported for each call.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from harness.cassette import OverSocket, read_cassette
from harness.scenario import shipped
from tests.case_tables import from_table
from tests.commands import called, run_harness, start_harness
from tests.sdks import anthropic

SCENARIO = shipped() / "universal" / "tool-returns.yaml"
TWO_CALLS = shipped() / "universal" / "parallel-calls.yaml"
WIRE = "anthropic-messages"


def process(*words: str | Path, cwd: Path, code: int = 0) -> str:
    """What a command says as a process of its own; it must end with ``code``."""
    done = run_harness(*words, cwd=cwd, env={"PATH": "", "HOME": str(cwd)})
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


class Commands:
    """The command line in this process, in a folder of its own, with no key of the user's."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def __call__(self, *words: str | Path, code: int = 0) -> str:
        """What a command says; it must end with ``code``."""
        printed = called(self._capsys, *words)
        assert printed.code == code, printed
        return printed.out + printed.err

    def record(self, upstream: str, *words: str, scenario: Path = SCENARIO, code: int = 0) -> str:
        return self("record", scenario, "--wire", WIRE, "--upstream", upstream, *words, code=code)

    def cassette(self, scenario: str = "tool-returns") -> Path:
        return self.folder / "cassettes" / WIRE / f"{scenario}.yaml"


@pytest.fixture
def harness(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Commands:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.endswith("_API_KEY")]:
        monkeypatch.delenv(name)
    return Commands(tmp_path, capsys)


@contextmanager
def serving(*words: str | Path, cwd: Path, scenario: Path = SCENARIO, wire: str = WIRE) -> Iterator[str]:
    """``harness serve`` while the block runs; gives the base URL that a client of the provider's is given."""
    process = start_harness("serve", scenario, "--wire", wire, *words, cwd=cwd, stderr=None)
    try:
        assert process.stdout is not None
        yield next(line.partition("=")[2].strip() for line in process.stdout if "BASE_URL" in line)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    finally:
        process.kill()
        process.wait()


def test_a_model_is_recorded_and_replayed_when_it_is_gone(tmp_path: Path) -> None:
    with serving(cwd=tmp_path) as upstream:
        told = process("record", SCENARIO, "--wire", WIRE, "--upstream", upstream, cwd=tmp_path)
    assert "cassettes/anthropic-messages/tool-returns.yaml: 2 requests in" in told
    assert "1 passed, 0 failed" in told
    cassette = read_cassette(tmp_path / "cassettes" / WIRE / "tool-returns.yaml")
    assert cassette.provenance is not None
    assert (cassette.provenance.source, cassette.provenance.server) == ("live", upstream)
    assert [each.delivery is not None for each in cassette.interactions] == [True, True]
    for _ in range(2):
        replayed = process("run", SCENARIO, "--source", "cassette", cwd=tmp_path)
        assert "1 passed, 0 failed" in replayed


def test_a_model_is_recorded_over_websockets_and_replayed(tmp_path: Path) -> None:
    over = ("--wire", "openai-responses", "--transport", "websocket")
    with serving(cwd=tmp_path, wire="openai-responses") as upstream:
        printed = process("record", SCENARIO, *over, "--upstream", upstream, cwd=tmp_path)
    assert "cassettes/openai-responses/tool-returns.yaml: 2 requests in" in printed
    assert "1 passed, 0 failed" in printed
    kept = read_cassette(tmp_path / "cassettes" / "openai-responses" / "tool-returns.yaml").interactions
    assert [(each.method, each.delivery and each.delivery.socket) for each in kept] == [
        ("GET", OverSocket(1)),
        ("POST", OverSocket(1)),
        ("POST", OverSocket(1)),
    ]
    assert "1 passed, 0 failed" in process("run", SCENARIO, "--source", "cassette", *over, cwd=tmp_path)
    other = shipped() / "universal" / "answer.yaml"
    missing = process("run", other, "--source", "cassette", *over, cwd=tmp_path, code=2)
    assert "no cassette is there for these scenarios" in missing


def test_what_cannot_be_recorded_over_websockets_is_reported(harness: Commands) -> None:
    over = ("--scripted", "--transport", "websocket")
    assert "--scripted records over HTTP" in harness("record", SCENARIO, "--wire", "openai-responses", *over, code=2)
    others = ("--wire", WIRE, "--upstream", "http://127.0.0.1:1", "--transport", "websocket")
    chat = shipped() / "universal" / "annotations-on-chat.yaml"
    assert "no case is on a wire with WebSockets" in harness("record", chat, *others, code=2)


FUNCTION = """
import os, anthropic
def run(case):
    seen = [name for name in ("DB_PASSWORD", "ANTHROPIC_API_KEY", "SEEN_TOKEN") if name in os.environ]
    if seen:
        raise SystemExit(f"the environment has {seen}")
    client = anthropic.Anthropic(base_url=case.base_url, api_key="a-key-of-my-own-4711")
    messages = [{"role": role, "content": text} for role, text in case.prompt]
    return client.messages.create(model=case.model, max_tokens=99, messages=messages).content[-1].text
"""


def test_a_function_that_is_recorded_gets_no_variable_of_the_user(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(FUNCTION)
    scenario = shipped() / "universal" / "answer-not-streamed.yaml"
    set_ones = {"DB_PASSWORD": "Zq8rTnB2wLx5", "ANTHROPIC_API_KEY": "Zq8rTnB2wLx6", "SEEN_TOKEN": "Zq8rTnB2wLx7"}
    words = ("record", scenario, "--wire", WIRE, "--target", "own:run", "--upstream")
    with serving(cwd=tmp_path, scenario=scenario) as upstream:
        environment = {**os.environ, **set_ones, "PYTHONPATH": f"{tmp_path}:{Path.cwd()}"}
        done = run_harness(*words, upstream, cwd=tmp_path, env=environment)
    assert "the environment has" not in done.stdout + done.stderr
    assert "1 passed, 0 failed" in done.stdout + done.stderr


def test_the_users_own_secrets_are_kept_in_no_cassette_and_matched_all_the_same(
    harness: Commands, tmp_path: Path
) -> None:
    own = ("--pattern", "city=Lisbon")
    with serving(cwd=tmp_path) as upstream:
        told = harness.record(upstream, *own)
    assert "1 passed, 0 failed" in told
    text = harness.cassette().read_text(encoding="utf-8")
    assert "Lisbon" not in text
    assert "redacted" in text.lower()
    harness("run", SCENARIO, "--source", "cassette", *own)
    harness("run", SCENARIO, "--source", "cassette", code=1)


def test_once_records_once_and_all_again(harness: Commands, tmp_path: Path) -> None:
    path = harness.cassette()
    with serving(cwd=tmp_path) as upstream:
        harness.record(upstream)
        first = path.read_bytes()
        harness.record(upstream)
        assert path.read_bytes() == first
        harness.record(upstream, "--mode", "all", "--server", "another name")
        assert b"another name" in path.read_bytes() != first


def test_an_upstream_that_is_not_there_is_told_and_no_cassette_is_left(harness: Commands, tmp_path: Path) -> None:
    with serving(cwd=tmp_path) as upstream:
        pass
    told = harness("record", SCENARIO, "--wire", WIRE, "--upstream", upstream, code=3)
    assert "not recorded" in told
    assert f"{upstream} does not answer" in told
    assert "Traceback" not in told
    assert list(tmp_path.rglob("*.yaml")) == []


@from_table(__file__, "test_nobody_is_asked_without_a_key_or_an_address")
def test_nobody_is_asked_without_a_key_or_an_address(harness: Commands, words: Sequence[str], message: str) -> None:
    assert message in harness("record", SCENARIO, "--wire", WIRE, *words, code=2)


def test_without_cassettes_there_is_nothing_to_replay(harness: Commands) -> None:
    told = harness("run", SCENARIO, "--source", "cassette", code=2)
    assert "'harness record SCENARIO --wire WIRE' makes one" in told


QUESTION = {"role": "user", "content": "Hello from elsewhere."}


def ask(base: str, *messages: object) -> str:
    with httpx2.Client(trust_env=False) as http:
        client = anthropic.Anthropic(base_url=base, api_key="a-key-of-the-loop", max_retries=0, http_client=http)
        answer = client.messages.create(model="claude-sonnet-4-6", max_tokens=100, messages=[QUESTION, *messages])  # type: ignore[list-item]
        return answer.to_json()


def test_a_loop_elsewhere_is_recorded_by_the_server_and_answered_from_its_cassette(tmp_path: Path) -> None:
    live = ("--source", "live", "--cassettes", "mine")
    with serving(cwd=tmp_path) as upstream, serving(*live, "--upstream", upstream, cwd=tmp_path) as base:
        said = ask(base)
        here, _, path_of_case = base.partition("/case/")
        assert len(here.rpartition("/")[2]) == 24  # a key, without which nobody is answered
        without = f"{here.rpartition('/')[0]}/case/{path_of_case}/v1/messages"
        page = {"host": "evil.example", "origin": "https://evil.example", "content-type": "text/plain"}
        for url, headers in ((without, {}), (f"{base}/v1/messages", page)):
            refused = httpx2.post(url, content=b"{}", headers=headers, trust_env=False)
            assert (refused.status_code, refused.json()["error"]["type"]) == (403, "refused")
    path = tmp_path / "mine" / WIRE / "tool-returns.yaml"
    assert len(read_cassette(path).interactions) == 1
    assert "a-key-of-the-loop" not in path.read_text(encoding="utf-8")
    with serving("--source", "cassette", "--cassettes", "mine", cwd=tmp_path) as base:
        assert [ask(base), ask(base)] == [said, said]  # each fresh conversation begins the cassette anew
        with pytest.raises(
            anthropic.BadRequestError, match=r"harness serve .*tool-returns.yaml --wire .* --source live"
        ):
            ask(base, {"role": "user", "content": "Something that was never said."})


def test_a_refresh_tells_what_has_changed_and_takes_the_old_place(harness: Commands, tmp_path: Path) -> None:
    path = harness.cassette()
    with serving(cwd=tmp_path) as upstream:
        harness.record(upstream)
    old = path.read_text(encoding="utf-8")
    assert "Clear" in old
    path.write_text(old.replace("Clear", "Foggy").replace("stop_sequence", "stop_sequency"), encoding="utf-8")
    with serving(cwd=tmp_path) as upstream:
        told = harness.record(upstream, "--refresh")
    assert "recorded anew" in told
    assert "form gone  stream | message_delta/delta.stop_sequency: null" in told
    assert "form new   stream | message_delta/delta.stop_sequence: null" in told
    assert "-assistant: Foggy and 19 degrees." in told
    assert "+assistant: Clear and 19 degrees." in told
    assert "Foggy" not in path.read_text(encoding="utf-8")
    assert list(path.parent.parent.glob(".refresh-*")) == []
    harness("run", SCENARIO, "--source", "cassette")


def test_a_refresh_that_fails_keeps_the_old_recording(harness: Commands, tmp_path: Path) -> None:
    path = harness.cassette()
    with serving(cwd=tmp_path) as upstream:
        harness.record(upstream)
    old = path.read_bytes()
    told = harness.record(upstream, "--refresh", code=3)
    assert "not recorded anew; the old recording stays" in told
    assert path.read_bytes() == old


@pytest.mark.parametrize(
    ("mutant", "code", "message"),
    [
        # The endpoint of a replay refuses what the provider would, so what the model said to it is never asked for.
        ("result-dropped", 3, "what was recorded does not replay; the old recording stays"),
        ("text-not-returned", 1, "history/model-text: expected the model's text"),
    ],
)
def test_a_refresh_tells_what_a_loop_does_wrong_and_keeps_what_does_not_replay(
    harness: Commands, tmp_path: Path, mutant: str, code: int, message: str
) -> None:
    path = harness.cassette("parallel-calls")
    with serving(cwd=tmp_path, scenario=TWO_CALLS) as upstream:
        harness.record(upstream, scenario=TWO_CALLS)
        old = path.read_bytes()
        broken = ("--refresh", "--target", f"mutant:{mutant}")
        told = harness.record(upstream, *broken, scenario=TWO_CALLS, code=code)
    assert message in told
    assert (path.read_bytes() == old) == (code == 3)


def test_a_refresh_leaves_what_is_young(harness: Commands, tmp_path: Path) -> None:
    with serving(cwd=tmp_path) as upstream:
        harness.record(upstream)
        assert "nothing is left to do" in harness.record(upstream, "--max-age", "30")


PLANTED = {
    "prompt": "sk-" + "ant-api03-" + "Zz9y" * 24,
    "tool": "gh" + "p_" + "q7Rt" * 9,
    "answer": "jane.roe" + "@" + "customers-of-ours.dev",
}
"""One where the user writes, one in what a tool returns, one in what the model says."""

TELLING = f"""
scenario: telling
profile: universal
summary: Secrets in every place that a scenario has.
wires: [{WIRE}]
prompt: "My key is {PLANTED["prompt"]}, look me up."
tools:
  - name: look_up
    description: Looks a user up.
    parameters: {{type: object, properties: {{}}}}
    returns: {{token: "{PLANTED["tool"]}"}}
model:
  - calls: [look_up: {{}}]
  - text: "You are {PLANTED["answer"]}, I think."
expect: {{outcome: completed}}
"""


def test_no_secret_is_in_a_cassette_a_report_or_what_is_printed(tmp_path: Path) -> None:
    scenario = tmp_path / "telling.yaml"
    scenario.write_text(TELLING, encoding="utf-8")
    told = process("record", scenario, "--wire", WIRE, "--scripted", cwd=tmp_path)
    told += process("run", scenario, "--source", "cassette", cwd=tmp_path)
    scenario.write_text(TELLING.replace("look me up", "look up"), encoding="utf-8")
    told += process("run", scenario, "--source", "cassette", cwd=tmp_path, code=1)
    written = {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()}
    del written[scenario]
    assert any(path.suffix == ".jsonl" for path in written)
    for where, secret in PLANTED.items():
        assert secret not in told, where
        assert [path for path, text in written.items() if secret in text] == [], where
