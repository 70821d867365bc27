"""``--isolate``, ``--no-isolate`` and neither, where the machine allows a seal and where it does not."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.errors import BadInput
from harness.runner.cases import CaseWork
from harness.sealing import allowed
from harness.sealing.allowed import Sealing, unsealed
from harness.targets.command.target import CommandTarget
from tests.commands import called, write_hello
from tests.runner.misbehaving import keep_nothing

PROGRAM = """\
import json, os, pathlib, urllib.request
lo = [line.split(":")[0].strip() for line in open("/proc/self/net/dev").readlines()[2:]]
pathlib.Path("interfaces.json").write_text(json.dumps(lo))
body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "system": "A prompt of the program's own.",
        "messages": [{"role": "user", "content": "A question of its own."}]}
head = {"content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01"}
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode(), head)) as answer:
    answer.read()
"""
WHY = "unshare: Operation not permitted (kernel.apparmor_restrict_unprivileged_userns is 1)"
NOTE = "network isolation is off: "
FORBIDS = "the kernel of this test forbids it"


@pytest.fixture
def harness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str]]:
    monkeypatch.chdir(tmp_path)
    write_hello(tmp_path, "hello")
    (tmp_path / "agent.py").write_text(PROGRAM, encoding="utf-8")
    declare(tmp_path)

    def call(*words: str) -> tuple[int, str]:
        printed = called(capfd, *words)
        return printed.code, printed.out + printed.err

    return call


def declare(folder: Path, more: str = "") -> None:
    command = json.dumps([sys.executable, "-I", "agent.py"])
    wires = "wires: [anthropic-messages]\nemits: []\n"
    (folder / "mine.yaml").write_text(f"target: mine\ncommand: {command}\n{wires}{more}", encoding="utf-8")


RUN = ["run", "hello.yaml", "--target", "mine.yaml", "--out", "out"]
SERVE = ["serve", "--wire", "anthropic-messages"]
COMMAND = ["--", sys.executable, "-I", "agent.py"]


def interfaces(folder: Path) -> list[str]:
    """What the loop has seen."""
    return list(json.loads((folder / "interfaces.json").read_text(encoding="utf-8")))


@pytest.mark.parametrize("words", [RUN, [*SERVE, *COMMAND]], ids=["run", "serve"])
def test_a_command_is_sealed_where_nothing_is_said(
    harness: Callable[..., tuple[int, str]], tmp_path: Path, words: list[str]
) -> None:
    code, printed = harness(*words)
    assert (code, interfaces(tmp_path)) == (0, ["lo"]), printed
    assert NOTE not in printed


@pytest.mark.parametrize("words", [[*RUN, "--no-isolate"], [*SERVE, "--no-isolate", *COMMAND]], ids=["run", "serve"])
def test_a_command_is_not_sealed_where_that_is_asked_for(
    harness: Callable[..., tuple[int, str]], tmp_path: Path, words: list[str]
) -> None:
    here = [line.split(":")[0].strip() for line in Path("/proc/self/net/dev").read_text().splitlines()[2:]]
    code, printed = harness(*words)
    assert (code, interfaces(tmp_path)) == (0, here), printed
    assert NOTE not in printed
    if words[0] == "run":
        results = json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))
        assert shlex.split(results["cases"][0]["repeat"])[-1] == "--no-isolate"


@pytest.mark.parametrize("words", [RUN, [*SERVE, *COMMAND]], ids=["run", "serve"])
def test_where_the_machine_allows_no_seal_a_line_says_so(
    harness: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr(allowed, "refusal", lambda: FORBIDS)
    code, printed = harness(*words)
    assert code == 0, printed
    assert printed.count(f"{NOTE}{FORBIDS}: the ") == 1


@pytest.mark.parametrize("words", [[*RUN, "--isolate"], [*SERVE, "--isolate", *COMMAND]], ids=["run", "serve"])
def test_a_seal_that_must_be_and_cannot_is_bad_input(
    harness: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str]
) -> None:
    monkeypatch.setattr(allowed, "refusal", lambda: FORBIDS)
    code, printed = harness(*words)
    assert code == 2
    assert f"--isolate: the loop cannot be sealed: {FORBIDS}; change that (docs/own-loop.md" in printed
    assert not (tmp_path / "interfaces.json").exists()


def test_a_target_that_needs_a_service_of_this_machine_is_not_sealed(
    harness: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    declare(tmp_path, "isolate: false\n")
    code, printed = harness(*RUN)
    assert code == 0, printed
    assert f"{NOTE}the target says 'isolate: false': the loop can reach" in printed
    code, printed = harness(*RUN, "--isolate")
    assert code == 2
    assert "the target says 'isolate: false'" in printed


FUNCTION = """\
import json, pathlib, urllib.request

def run(case):
    lo = [line.split(":")[0].strip() for line in open("/proc/self/net/dev").readlines()[2:]]
    (pathlib.Path(__file__).parent / "interfaces.json").write_text(json.dumps(lo))
    messages = [{"role": role, "content": text} for role, text in case.prompt if role == "user"]
    body = {"model": case.model, "max_tokens": 9, "system": "A prompt of its own.", "messages": messages}
    head = {"content-type": "application/json", "x-api-key": "harness", "anthropic-version": "2023-06-01"}
    request = urllib.request.Request(case.base_url + "/v1/messages", json.dumps(body).encode(), head)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)["content"][0]["text"]
"""


def declare_function(folder: Path) -> None:
    (folder / "own_agent.py").write_text(FUNCTION, encoding="utf-8")
    text = "target: mine\npython: own_agent:run\nwires: [anthropic-messages]\n"
    (folder / "mine.yaml").write_text(text, encoding="utf-8")


@pytest.mark.parametrize("how", [["-j", "2"], ["--executor", "dask"]], ids=["processes", "dask"])
def test_a_function_is_sealed_wherever_it_runs(
    harness: Callable[..., tuple[int, str]], tmp_path: Path, how: list[str]
) -> None:
    declare_function(tmp_path)
    code, printed = harness(*RUN, "--isolate", *how)
    assert (interfaces(tmp_path), "1 passed" in printed) == (["lo"], True), printed
    assert code in (0, 1)  # of a driver that sends a prompt of its own


@pytest.mark.sampled(2)
@pytest.mark.parametrize("asked", [[], ["--no-isolate"]], ids=["neither", "off"])
def test_workers_of_a_cluster_that_allow_no_seal_are_named(
    harness: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, asked: list[str]
) -> None:
    declare_function(tmp_path)
    monkeypatch.setattr(allowed, "refusal", lambda: FORBIDS)
    code, printed = harness(*RUN, "--executor", "dask", *asked)
    said = re.findall(rf"{NOTE}{FORBIDS} \(on tcp://127\.0\.0\.1:\d+\): the loop can reach", printed)
    assert len(said) == (0 if asked else 1), printed
    assert code in (0, 1)


def test_a_target_that_needs_a_service_is_sealed_on_no_cluster(
    harness: Callable[..., tuple[int, str]], tmp_path: Path
) -> None:
    declare(tmp_path, "isolate: false\n")
    code, printed = harness(*RUN, "--executor", "dask", "--isolate")
    assert (code, printed.count("the target says 'isolate: false'")) == (2, 1)


DOCTOR = ["doctor", "mine.yaml"]
WATCH = ["watch", "hello.yaml", "--target", "mine.yaml"]
RECORD = ["record", "hello.yaml", "--wire", "anthropic-messages", "--scripted", "--target", "mine.yaml"]
BASELINE = ["baseline", "update", "mine.yaml", "hello.yaml"]


@pytest.mark.parametrize("words", [DOCTOR, WATCH, RECORD, [*RECORD, "--refresh"], BASELINE], ids=lambda words: words[0])
def test_every_command_that_runs_a_loop_demands_a_seal(
    harness: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str]
) -> None:
    monkeypatch.setattr(allowed, "refusal", lambda: FORBIDS)
    code, printed = harness(*words, "--isolate")
    assert code == 2
    assert f"--isolate: the loop cannot be sealed: {FORBIDS}" in printed
    assert not (tmp_path / "interfaces.json").exists()


@pytest.mark.sampled(3)
@pytest.mark.parametrize("words", [DOCTOR, RECORD, BASELINE], ids=lambda words: words[0])
def test_every_command_that_runs_a_loop_says_that_it_is_not_sealed(
    harness: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: list[str]
) -> None:
    _, printed = harness(*words)
    assert (interfaces(tmp_path), NOTE in printed) == (["lo"], False), printed
    monkeypatch.setattr(allowed, "refusal", lambda: FORBIDS)
    _, printed = harness(*words)
    assert f"{NOTE}{FORBIDS}: the loop can reach" in printed
    _, printed = harness(*words, "--no-isolate")
    assert NOTE not in printed


@pytest.mark.anyio
async def test_a_target_is_asked_while_an_event_loop_runs() -> None:
    """As in a notebook."""
    work = CaseWork(lambda _: CommandTarget("mine", ("true",)), keep_nothing)
    assert work.seals_workers() is False


def test_a_seal_that_cannot_be_made_in_a_worker_fails_the_run_there(
    harness: Callable[..., tuple[int, str]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "threads.py").write_text(
        "import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n"
        "class Work:\n    noun, deadline, seconds = 'item', 60.0, 1.0\n"
        "    def seals_workers(self): return True\n    def needs(self, item): return ''\n"
        "    def __reduce__(self): return Work, ()\n",
        encoding="utf-8",
    )
    import threads  # type: ignore[import-not-found]

    from harness.runner.processes import Processes

    with pytest.raises(BadInput, match=r"a worker process cannot be sealed: .*runs 1 threads already.*--no-isolate"):
        Processes(threads.Work(), 1).run(["an item"], lambda _: None)


@pytest.mark.parametrize("asked", ["required", "possible", "off"])
def test_why_there_is_no_seal(monkeypatch: pytest.MonkeyPatch, asked: Sealing) -> None:
    monkeypatch.setattr(allowed, "refusal", lambda: "")
    assert unsealed(asked) == ("--no-isolate" if asked == "off" else "")


@pytest.mark.parametrize(
    ("settings", "number", "why"),
    [
        ({"kernel/apparmor_restrict_unprivileged_userns": "1"}, 1, WHY),
        ({}, 1, "unshare: Operation not permitted (a container forbids namespaces, or the kernel does)"),
        ({"user/max_user_namespaces": "0"}, 28, "unshare: Operation not permitted (user.max_user_namespaces is 0)"),
        ({"user/max_user_namespaces": "0"}, 22, "unshare: Operation not permitted"),
    ],
    ids=["apparmor", "container", "none", "another"],
)
def test_the_reason_names_the_setting_of_the_kernel(
    monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], number: int, why: str
) -> None:
    monkeypatch.setattr(allowed, "_setting", lambda name: settings.get(name, ""))
    assert allowed._explanation_of("unshare: Operation not permitted", number) == why
