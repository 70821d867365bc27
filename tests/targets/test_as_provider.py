"""``--as-provider``: loops that connect to the provider's own host reach the endpoint, through real TLS."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import sys
from pathlib import Path

import pytest

from harness.endpoint import Endpoints
from harness.report.files import RunFolder
from harness.runner.cases import CaseWork
from harness.runner.executor import InProcess
from harness.runner.plan import plan
from harness.runner.processes import Processes
from harness.runner.results import CaseResult
from harness.scenario import load
from harness.targets import Declaration, Target
from harness.targets.command.target import CommandTarget
from harness.targets.function import FunctionTarget
from harness.trace import Final, Trace
from harness.trace import load as load_trace
from harness.wire import WireName
from tests.case_tables import from_table
from tests.commands import HELLO

LOOPS = "tests.targets.provider_loops"
NODE = Path("harness/targets/node").resolve()


class Opening:
    """Opens the target, in a worker if it is a function."""

    def __init__(self, wire: WireName, address: str, *command: str, persistent: bool = False) -> None:
        self._declared = Declaration(frozenset({wire}), emits=frozenset() if command and not persistent else None)
        self._persistent = persistent
        self._address = address
        self._command = command

    def __call__(self, endpoints: Endpoints) -> Target:
        if self._command:
            return CommandTarget(self._address, self._command, self._declared, persistent=self._persistent)
        return FunctionTarget(self._address, f"{LOOPS}:{self._address}", self._declared)


class Ran:
    """A case and its trace."""

    def __init__(self, result: CaseResult, folder: Path) -> None:
        self.result = result
        self.trace: Trace = load_trace(folder / (result.trace or ""))

    @property
    def hosts(self) -> set[str]:
        """Whom the loop has asked, as it says itself."""
        return {exchange.request.headers["host"] for exchange in self.trace.exchanges}

    @property
    def final(self) -> str:
        return next(told.event.text for _, told in self.trace.events if isinstance(told.event, Final))


def run(folder: Path, wire: WireName, opening: Opening, cases: int = 1) -> list[Ran]:
    """The cases in their order, two at a time where each has a process of its own."""
    for each in ("scenarios", "certificates"):
        (folder / each).mkdir()
    for number in range(cases):
        text = HELLO.format(name=f"case-{number}", wires=f"[{wire}]").replace("prompt:", "stream: false\nprompt:")
        (folder / "scenarios" / f"{number}.yaml").write_text(text)
    planned = plan(load([folder / "scenarios"]), target=opening(Endpoints()))
    work = CaseWork(opening, RunFolder.create(folder).write_trace, as_provider=folder / "certificates")
    told: list[CaseResult] = []
    executor = InProcess(work, 2) if opening._command else Processes(work, 1)
    executor.run(planned, told.append)
    assert multiprocessing.active_children() == []
    for file in (folder / "certificates").iterdir():
        assert b"PRIVATE" not in file.read_bytes()
    return [Ran(result, folder) for result in sorted(told, key=lambda result: result.id)]


# --- functions in Python --------------------------------------------------------------------------------------------


@from_table(__file__, "test_an_sdk_with_its_defaults_reaches_the_endpoint")
def test_an_sdk_with_its_defaults_reaches_the_endpoint(
    wire: WireName, function: str, host: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if function == "with_aiohttp":  # which reads its certificates when it is imported
        request.getfixturevalue("new_workers")
    (ran,) = run(tmp_path, wire, Opening(wire, function))
    assert ran.result.verdict == "pass", ran.result.error
    assert ran.hosts == {host}
    assert ran.final == "Hello."
    assert ran.result.blocked == ()
    assert ran.result.repeat.endswith(" --as-provider")


def test_a_tunnel_that_is_kept_serves_the_case_that_is_open(tmp_path: Path) -> None:
    opening = Opening("anthropic-messages", "with_one_connection_for_all_cases")
    ran = run(tmp_path, "anthropic-messages", opening, cases=3)
    assert [(each.result.verdict, each.result.requests) for each in ran] == [("pass", 1)] * 3


def test_a_loop_is_given_the_providers_url_and_no_key_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_API_KEY", "SEARCH_API_KEY"):
        monkeypatch.setenv(name, "sk-real")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://elsewhere.example.invalid/v1")
    (ran,) = run(tmp_path, "anthropic-messages", Opening("anthropic-messages", "with_what_it_is_told"))
    url, environment = json.loads(ran.final)
    assert url == "https://api.anthropic.com"
    assert environment["OPENAI_BASE_URL"] is environment["ANTHROPIC_BASE_URL"] is None
    assert environment["OPENAI_API_KEY"] == "harness"
    assert environment["SEARCH_API_KEY"] is None
    assert environment["HTTPS_PROXY"].startswith("http://127.0.0.1:")
    assert Path(environment["SSL_CERT_FILE"]).parent == tmp_path / "certificates"


def test_a_client_that_does_not_trust_the_authority_is_told_what_to_set(tmp_path: Path) -> None:
    (ran,) = run(tmp_path, "anthropic-messages", Opening("anthropic-messages", "without_trust"))
    assert ran.result.verdict == "error"
    error = ran.result.error or ""
    assert error.startswith("The TLS handshake failed: the loop does not trust the certificate authority of this run")
    assert "(api.anthropic.com: TLSV1_ALERT_UNKNOWN_CA)" in error
    assert "SSL_CERT_FILE" in error


def test_a_client_that_ignores_the_proxy_is_blocked_and_told(tmp_path: Path) -> None:
    (ran,) = run(tmp_path, "anthropic-messages", Opening("anthropic-messages", "without_the_proxy"))
    (evidence,) = ran.result.findings
    assert evidence.rule == "target/request"
    assert ran.result.blocked == ("look up api.anthropic.com",)
    assert "It connects to api.anthropic.com without the proxy that HTTPS_PROXY names" in evidence.detail


# --- commands -------------------------------------------------------------------------------------------------------

PYTHON = """
from openai import OpenAI
import os, urllib.request
client = OpenAI(max_retries=0)
client.chat.completions.create(model=os.environ["HARNESS_MODEL"], messages=[{"role": "user", "content": "Say hello."}])
try:
    urllib.request.urlopen("https://api.example.invalid/telemetry")
except OSError:
    pass
"""

DATA = Path(__file__).parent / "data"
# Programs that use fetch say when they end: Node would wait four seconds for another request on their connection.
FETCH, HTTPS, ANTHROPIC_SDK, UNTRUSTING = (
    (DATA / f"as_provider_{name}.mjs").read_text(encoding="utf-8")
    for name in ("fetch", "https", "anthropic_sdk", "untrusting")
)


def test_a_command_reaches_the_endpoint_and_nobody_else(tmp_path: Path) -> None:
    (ran,) = run(tmp_path, "openai-chat", Opening("openai-chat", "python", sys.executable, "-c", PYTHON))
    assert (ran.result.verdict, ran.result.requests) == ("pass", 1)
    assert ran.hosts == {"api.openai.com"}
    assert ran.result.blocked == ("CONNECT api.example.invalid:443",)


KEPT = """
import base64, http.client, json, os, ssl, sys, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
user = base64.b64encode(f"{proxy.username}:{proxy.password}".encode()).decode()
connection = http.client.HTTPSConnection(proxy.hostname, proxy.port, context=ssl.create_default_context())
connection.set_tunnel("api.openai.com", 443, {"Proxy-Authorization": f"Basic {user}"})
for line in sys.stdin:
    case = json.loads(line)
    body = {"model": case["model"], "messages": [{"role": "user", "content": "Say hello."}]}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"})
    text = json.load(connection.getresponse())["choices"][0]["message"]["content"]
    print(json.dumps({"event": "final", "code": "", "text": text}))
    print(json.dumps({"done": case["case"]}), flush=True)
"""


def test_a_connection_of_a_persistent_command_serves_the_case_at_hand(tmp_path: Path) -> None:
    opening = Opening("openai-chat", "kept", sys.executable, "-c", KEPT, persistent=True)
    ran = run(tmp_path, "openai-chat", opening, cases=5)
    assert [(each.result.verdict, each.result.requests) for each in ran] == [("pass", 1)] * 5
    assert {host for each in ran for host in each.hosts} == {"api.openai.com"}


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")


def node(folder: Path, text: str, cases: int = 1) -> list[Ran]:
    file = folder / "agent.mjs"
    file.write_text(text, encoding="utf-8")
    if (NODE / "node_modules").is_dir():
        (folder / "node_modules").symlink_to(NODE / "node_modules")
    return run(folder, "anthropic-messages", Opening("anthropic-messages", "node", "node", str(file)), cases)


@pytest.mark.sampled(3)
@needs_node
@pytest.mark.parametrize(
    "text", [FETCH.replace("LARGE", "false"), FETCH.replace("LARGE", "true"), HTTPS], ids=["fetch", "large", "https"]
)
def test_node_reaches_the_endpoint(text: str, tmp_path: Path) -> None:
    for ran in node(tmp_path, text, cases=2):
        assert (ran.result.verdict, ran.result.error) == ("pass", None)
        assert ran.hosts == {"api.anthropic.com"}
        assert ran.result.blocked == ()


@needs_node
@pytest.mark.skipif(not (NODE / "node_modules/@anthropic-ai/sdk").is_dir(), reason="its packages are not installed")
def test_the_sdk_of_anthropic_on_node_reaches_the_endpoint_and_nobody_else(tmp_path: Path) -> None:
    (ran,) = node(tmp_path, ANTHROPIC_SDK)
    assert (ran.result.verdict, ran.result.error) == ("pass", None)
    assert ran.hosts == {"api.anthropic.com"}
    (blocked,) = ran.result.blocked
    assert "api.example.invalid:443" in blocked


@needs_node
def test_node_that_does_not_trust_the_authority_is_told_what_to_set(tmp_path: Path) -> None:
    (ran,) = node(tmp_path, UNTRUSTING)
    assert ran.result.verdict == "error"
    assert (ran.result.error or "").startswith("The TLS handshake failed: the loop does not trust")
