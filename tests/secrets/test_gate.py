"""All that a run writes goes through the gate: no file of it has a secret of the user, the loop or its command."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest

from harness.report.formats import BUILT_IN
from harness.runner.redacting import gated, redacted_trace
from harness.scenario import TurnStep
from harness.secrets.redactor import Redactor
from harness.trace import (
    Assistant,
    CallerRecord,
    Case,
    EventRecord,
    Final,
    JsonValue,
    RequestRecord,
    ResponseRecord,
    SetCode,
    Thinking,
    Trace,
)
from harness.wire.turn import Text, Turn
from tests.commands import run_harness
from tests.secrets.samples import drawn, sample

GITHUB = sample("github-token").secret
STRIPE = sample("stripe-key").secret
OPENAI = sample("openai-project-key").secret
PLAIN = drawn("a password of a database", 24)
SLACK = sample("slack-token").secret


def _letters(name: str) -> str:
    """A key without a shape."""
    return re.sub(r"[^a-z]", "", drawn(name, 80))[:32]


SENT = _letters("a key of letters that a loop has from a file of its own")
IN_QUERY = _letters("a key of letters in an address")
IN_COOKIE = _letters("a cookie of letters")
UNSERVED = _letters("a key of letters that is sent to an address that is not served")
HIDDEN = (SENT, IN_QUERY, IN_COOKIE, UNSERVED)
"""Keys without a shape that a loop sends, which the environment does not have and a trace does not show."""

SCENARIO = str(Path(__file__).parents[2] / "scenarios" / "universal" / "answer-in-half-characters.yaml")

LOOP = """
import json, os, sys, urllib.request
case = json.loads(sys.stdin.readline())
def ask(url, key):
    headers = {{"content-type": "application/json", "authorization": "Bearer " + key, "X-Internal-Token": "{plain}"}}
    headers["cookie"] = "sid={hidden[2]}"
    return urllib.request.Request(url, json.dumps(body).encode(), headers)
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions?token={plain}&key={hidden[1]}"
said = "my key is {slack}, or {hidden}"
body = {{"model": os.environ["HARNESS_MODEL"], "messages": [{{"role": "user", "content": said}}]}}
print(json.dumps({{"event": "assistant", "text": "{github} {hidden}", "id": "a"}}), flush=True)
try:
    urllib.request.urlopen(ask(os.environ["OPENAI_BASE_URL"] + "/sessions/{hidden[3]}", "{hidden[3]}")).read()
except Exception:
    pass
try:
    urllib.request.urlopen(ask(url, "{hidden[0]}")).read()
except Exception:
    pass
raise SystemExit("cannot log in with {github} and {stripe} or {hidden}: " + os.environ.get("DB_PASSWORD", "unset"))
"""


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of a command that says all these secrets, and the reports that are made of it."""
    folder = tmp_path_factory.mktemp("gate")
    loop = LOOP.format(plain=PLAIN, slack=SLACK, github=GITHUB, stripe=STRIPE, hidden=HIDDEN)
    (folder / "loop.py").write_text(loop)
    target = f"cmd:{sys.executable} {folder / 'loop.py'} --api-key {OPENAI} --note {PLAIN}"
    out = folder / "run"
    environment = {**os.environ, "DB_PASSWORD": PLAIN}
    words = ["run", SCENARIO, "--wire", "openai-chat", "-k", "whole", "--target", target]
    ran = run_harness(*words, "--out", out, cwd=folder, env=environment)
    assert ran.returncode in (1, 3), ran.stderr
    assert out.is_dir(), ran.stderr
    (out / "terminal.txt").write_text(ran.stdout + ran.stderr, encoding="utf-8")
    for format in BUILT_IN:
        made = run_harness("report", out, "--format", format, cwd=folder, env=environment)
        (out / f"report.{format}").write_text(made.stdout, encoding="utf-8")
    return out


def test_no_file_of_a_run_has_a_secret(written: Path) -> None:
    files = [each for each in written.rglob("*") if each.is_file()]
    assert len(files) >= 8
    for secret in (GITHUB, STRIPE, OPENAI, PLAIN, SLACK, *HIDDEN):
        assert [each.name for each in files if secret.encode() in each.read_bytes()] == []
    results = json.loads((written / "results.json").read_text())
    assert "REDACTED-openai-project-key" in results["target"]
    assert "REDACTED-github-token" in json.dumps(results["cases"])


def test_what_is_remembered_of_a_run_has_no_secret(written: Path) -> None:
    remembered = (written.parent / ".harness" / "last-run.json").read_text()
    assert "REDACTED-openai-project-key" in remembered
    assert OPENAI not in remembered
    assert PLAIN not in remembered


@pytest.mark.parametrize(
    "words",
    [
        ["serve", "--wire", "openai-chat", "--", "true"],
        ["record", SCENARIO, "--wire", "openai-chat", "--scripted", "--target"],
        ["doctor", "--wire", "openai-chat"],
    ],
    ids=lambda words: words[0],
)
def test_what_a_command_says_of_its_own_command_line_has_no_secret(tmp_path: Path, words: list[str]) -> None:
    key = ["--api-key", OPENAI, "--note", PLAIN]
    command = [*words, *key] if words[0] == "serve" else [*words, f"cmd:true {' '.join(key)}"]
    done = run_harness(*command, cwd=tmp_path, env={**os.environ, "DB_PASSWORD": PLAIN})
    said = done.stdout + done.stderr
    assert "REDACTED-openai-project-key" in said
    assert OPENAI not in said
    assert PLAIN not in said


SAYING = """
scenario: says-a-key
profile: universal
summary: It says {key} here
tools:
  - name: look_{key}
    description: The token {key}
    parameters: {{type: object, properties: {{"{key}": {{type: string}}}}}}
    returns: {{"found": "{key}"}}
  - name: ask_{key}
    description: The key {key}
    parameters: {{type: object, properties: {{}}}}
    raises: "{key} is wrong"
prompt: My key is {key}
model:
  - calls: [{{name: look_{key}, arguments: {{"{key}": "{key}"}}}}]
  - text: The key is {key}
expect:
  outcome: completed
  final: {{says: "{key} and more"}}
  sent:
    - request: 1
      values: {{"/metadata/{key}": "{key}"}}
  events: toolStart(look_{key}) final(completed)
"""


def test_what_a_scenario_says_in_any_key_is_redacted_in_the_same_way(tmp_path: Path) -> None:
    """Its folder has a key in its name, too. A trace that is judged again says no other thing."""
    folder = tmp_path / f"x-{GITHUB}"
    folder.mkdir()
    (folder / "s.yaml").write_text(SAYING.format(key=GITHUB))
    ran = run_harness("run", f"x-{GITHUB}/s.yaml", "--wire", "openai-chat", "--out", "run", cwd=tmp_path)
    assert ran.returncode == 1, ran.stderr
    assert GITHUB not in ran.stdout + ran.stderr
    files = [each for each in (tmp_path / "run").rglob("*") if each.is_file()]
    assert [each.name for each in files if GITHUB.encode() in each.read_bytes()] == []
    judged = run_harness("check", "run/traces", cwd=tmp_path)
    assert "0 findings" in judged.stdout, judged.stdout


def test_the_password_does_not_reach_the_command(written: Path) -> None:
    assert "unset" in (written / "results.json").read_text()


DYING = """
import json, os, urllib.request
async def run(case):
    headers = {{"content-type": "application/json", "authorization": "Bearer {sent}"}}
    body = json.dumps({{"model": case.model, "messages": [{{"role": "user", "content": "x"}}]}}).encode()
    try:
        urllib.request.urlopen(urllib.request.Request(case.base_url + "/v1/chat/completions", body, headers)).read()
    except OSError:
        pass
    if "emoji" not in case.prompt[-1][1]:  # a probe of the driver
        return "Oslo"
    print("my key is {sent}, and that of github is {github}", flush=True)
    {end}
"""


@pytest.mark.parametrize(
    "end", ["os._exit(7)", 'raise RuntimeError("my key is {sent}")', "import time; time.sleep(60)"]
)
def test_what_a_function_has_printed_before_it_died_has_no_secret(end: str, tmp_path: Path) -> None:
    end = end.format(sent=SENT)
    (tmp_path / "dying.py").write_text(DYING.format(sent=SENT, github=GITHUB, end=end))
    words = ["run", SCENARIO, "--wire", "openai-chat", "-k", "whole", "--target", "dying:run", "--out", "run"]
    ran = run_harness(*words, "--timeout", "2", cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    said = ran.stdout + ran.stderr
    results = (tmp_path / "run" / "results.json").read_bytes()
    assert b"my key is REDACTED-authorization" in results, said
    for secret in (SENT, GITHUB):
        assert secret not in said
        files = [each for each in (tmp_path / "run").rglob("*") if each.is_file()]
        assert [each.name for each in files if secret.encode() in each.read_bytes()] == []


def test_a_trace_keeps_its_offsets() -> None:
    """What an event says of the bytes that had arrived is true of the redacted response, too."""
    pieces = [b"data: one ", SLACK[:20].encode(), SLACK[20:].encode(), b" two\n\n"]
    body, ends = b"".join(pieces), [len(b"".join(pieces[:n])) for n in range(1, 5)]
    case = Case("c", "s", "openai-chat")
    records = (
        RequestRecord(0, "POST", "/v1/x", {"x-internal-token": PLAIN}, json.dumps({"a": PLAIN}).encode()),
        EventRecord(Assistant(SLACK, "a"), 0, ends[0]),
        EventRecord(Assistant("b", "a"), 0, ends[2]),
        ResponseRecord(0, 200, {"content-type": "text/event-stream"}, body, tuple(map(len, pieces))),
    )
    kept = redacted_trace(Trace(case, records), Redactor())
    request, first, second, response = kept.records
    assert isinstance(request, RequestRecord)
    assert isinstance(response, ResponseRecord)
    assert isinstance(first, EventRecord)
    assert isinstance(second, EventRecord)
    assert PLAIN not in str(request)
    assert response.body == b"data: one REDACTED-slack-token two\n\n"
    assert sum(response.chunks) == len(response.body)
    assert (first.offset, second.offset) == (ends[0], len(response.body) - len(b" two\n\n"))
    assert first.event == Assistant("REDACTED-slack-token", "a")


def test_a_key_that_events_tell_in_pieces_is_in_none_of_them() -> None:
    pieces = ["It is ", SLACK[:9], SLACK[9:30], f"{SLACK[30:]} then.", f" {PLAIN[:5]}"]
    records = [EventRecord(kind(piece, "a")) for piece in pieces for kind in (Assistant, Thinking)]
    kept = redacted_trace(Trace(Case("c", "s", "openai-chat"), tuple(records)), Redactor())
    for kind in (Assistant, Thinking):
        told = [each.event.text for each in kept.records if isinstance(each, EventRecord) and type(each.event) is kind]
        assert told == ["It is ", "REDACTED-slack-token", "", " then.", f" {PLAIN[:5]}"]


def test_a_preview_that_ends_in_a_key_has_no_part_of_it() -> None:
    """Where the code is still arriving, and where what has arrived of an edit is shown within the code before."""
    code = f"<p>It is {SLACK}, yes</p>"
    at = code.index(SLACK)
    shown = [code[:length] for length in (at - 1, at + 1, at + 30, at + len(SLACK) - 1, len(code) - 2)]
    shown += [f"<h1>A page</h1>{SLACK[:20]}"]
    events = [*(SetCode(each, "a", preview=True) for each in shown), SetCode(code, "a")]
    kept = redacted_trace(Trace(Case("c", "s", "openai-chat"), tuple(map(EventRecord, events))), Redactor())
    codes = [each.event.code for each in kept.records if isinstance(each, EventRecord) and hasattr(each.event, "code")]
    redacted = "<p>It is REDACTED-slack-token"
    assert codes == [
        "<p>It is"[: at - 1], redacted, redacted, redacted, f"{redacted}, yes</", "<h1>A page</h1>REDACTED-slack-token",
        f"{redacted}, yes</p>",
    ]  # fmt: skip


def test_a_message_of_the_history_keeps_its_words_behind_one_that_ends_in_a_key() -> None:
    history: JsonValue = [
        {"role": "user", "text": f"My key is {GITHUB}"},
        {"role": "assistant", "text": f"The key is {GITHUB}."},
    ]
    final = Final(outcome="completed", text="", code="", history=history)
    (kept,) = redacted_trace(Trace(Case("c", "s", "openai-chat"), (EventRecord(final),)), Redactor()).records
    assert isinstance(kept, EventRecord)
    assert isinstance(kept.event, Final)
    assert isinstance(kept.event.history, list)
    texts = [each["text"] for each in kept.event.history if isinstance(each, dict)]
    assert texts == ["My key is REDACTED-github-token", "The key is REDACTED-github-token."]


def test_a_key_that_only_the_script_says_is_not_in_the_trace() -> None:
    """Of a loop that emits no events and ends with the answer."""
    body = json.dumps({"choices": [{"message": {"content": SLACK}}]}).encode()
    trace = Trace(Case("c", "s", "openai-chat"), (ResponseRecord(0, 200, {}, body, (len(body),)),))
    assert SLACK not in str(redacted_trace(trace, Redactor(), [TurnStep(Turn((Text(SLACK),)))]))


def test_a_member_that_comparing_leaves_out_has_no_secret() -> None:
    inside = Turn((Text("Here it is.", members={"note": f"the key is {GITHUB}"}),))
    assert inside == Turn((Text("Here it is."),))
    assert GITHUB not in str(gated(inside))
    assert GITHUB not in str(gated(Text("Here it is.", members={"note": GITHUB})))


def test_a_record_without_a_secret_is_the_same_value() -> None:
    one = Turn((Text("Here it is."), Text("And that.")))
    assert gated(one) is one


def test_a_trace_without_a_secret_is_the_same_value() -> None:
    trace = Trace(Case("c", "s", "openai-chat"), (RequestRecord(0, "POST", "/v1/x", {}, b'{"a": "hello"}'),))
    assert redacted_trace(trace, Redactor()) is trace


def test_no_part_of_what_the_caller_did_has_a_key() -> None:
    did = CallerRecord("cancel", f"The key is {STRIPE}", ended=(GITHUB, "call_2"), failed=(GITHUB,))
    (kept,) = redacted_trace(Trace(Case("c", "s", "openai-chat"), (did,)), Redactor()).records
    assert isinstance(kept, CallerRecord)
    assert STRIPE not in kept.text
    assert kept.text.startswith("The key is ")
    assert GITHUB not in str(kept)
    assert kept.ended == (*kept.failed, "call_2")
