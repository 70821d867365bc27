"""``harness run --otlp``: cases as spans in a file, and at a collector on this machine."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.commands import Printed

SCENARIO = Path(__file__).resolve().parents[2] / "scenarios" / "universal" / "parallel-calls.yaml"
Command = Callable[..., Printed]


@pytest.fixture
def run(harness: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Run one case in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    return partial(harness, "run", SCENARIO, "--wire", "openai-chat", "--jobs", "1", "--out", "run", "--otlp")


def test_to_a_file(run: Command, harness: Command) -> None:
    assert run("spans.jsonl").code == 0
    lines = [json.loads(line) for line in Path("spans.jsonl").read_text(encoding="utf-8").splitlines()]
    names = {span["name"] for line in lines for span in line["resourceSpans"][0]["scopeSpans"][0]["spans"]}
    assert {"invoke_agent reference", "chat gpt-4.1", "execute_tool get_weather"} <= names
    assert harness("lint-trace", "spans.jsonl").code == 0


def test_to_a_collector(run: Command) -> None:
    taken: list[dict[str, object]] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.path == "/v1/traces":
                taken.append(json.loads(body))
            self.send_response(200 if self.path == "/v1/traces" else 404)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *arguments: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Collector)
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        address = f"http://127.0.0.1:{server.server_port}"
        assert run(f"{address}/v1/traces").code == 0
        code, _, err = run(f"{address}/wrong").lines
        assert (code, err[-1]) == (2, f"error: --otlp {address}/wrong: the spans were not taken: HTTP 404")
    finally:
        server.shutdown()
        server.server_close()
    assert taken
    assert all("resourceSpans" in each for each in taken)


@pytest.mark.parametrize("where", ["ftp://x/y", "http://"])
def test_what_is_no_address(where: str, run: Command) -> None:
    code, _, err = run(where).lines
    assert code == 2
    assert err == [f"error: --otlp {where}: expected a file, or an address like http://localhost:4318/v1/traces"]


def test_a_file_that_is_there_is_not_overwritten(run: Command) -> None:
    Path("spans.jsonl").write_text("mine", encoding="utf-8")
    code, _, err = run("spans.jsonl").lines
    assert (code, err) == (2, ["error: --otlp spans.jsonl: the file is there already; choose another name"])
    assert not Path("run").exists()
