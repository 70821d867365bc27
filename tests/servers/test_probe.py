"""``harness probe``: our own endpoint keeps its wires' grammar, and broken servers are found."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from harness.cli.probe import ProbeOptions, probe
from harness.endpoint import AutomaticModel, ByWire, CaseEndpoint, Endpoints, Rounds
from harness.endpoint.server import serving
from harness.errors import BadInput
from harness.report.files import read_results
from harness.runner.results import CaseResult
from harness.servers.probing import requests_of
from harness.trace import Case
from harness.wire import NATIVE_WIRES, wire
from harness.wire.channels import CHANNELS
from tests.servers.identity_gateway import in_a_thread


def _rounds(name: str) -> Rounds:
    return Rounds(lambda number: CaseEndpoint(Case(f"probed.{number}", "probed", name), AutomaticModel(), clock=float))


@contextmanager
def served(*, websockets: bool = False) -> Iterator[str]:
    """Our automatic model on all wires, in a thread: the address."""
    gateway = Endpoints()
    gateway.open(
        "probed", ByWire({name: _rounds(name) for name in NATIVE_WIRES}), "m", channels=CHANNELS if websockets else ()
    )
    ready, over = threading.Event(), asyncio.Event()
    places: list[tuple[str, asyncio.AbstractEventLoop]] = []

    async def run() -> None:
        async with serving(gateway) as base:
            places.append((base, asyncio.get_running_loop()))
            ready.set()
            await over.wait()

    thread = threading.Thread(target=lambda: asyncio.run(run()))
    thread.start()
    ready.wait()
    base, loop = places[0]
    try:
        yield f"{base}/case/probed"
    finally:
        loop.call_soon_threadsafe(over.set)
        thread.join()


def steps(folder: Path) -> dict[str, CaseResult]:
    """The results of a probe of one wire by their steps."""
    return {case.scenario: case for case in read_results(folder / "results.json").cases}


@pytest.mark.parametrize("name", NATIVE_WIRES)
def test_our_own_endpoint(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with served() as url:
        probe(ProbeOptions(url=url, wires=[name], model="m", out=tmp_path))
    found = steps(tmp_path)
    for step in ("text", "whole-text", "forced-call", "call", "own-answer-back", "own-text-back", "unknown-id"):
        assert found[step].verdict == "pass", found[step]
    assert found["wrong-key"].reason.startswith("not shown: the server was asked without a key")
    assert all(each.rule != "server/answer" for case in found.values() for each in case.findings)
    printed = capsys.readouterr().out
    assert f"harness probe: at most {requests_of(wire(name))} requests to {url}" in printed
    assert printed.index("at most") < printed.index("  ok ")


@pytest.mark.slow
def test_a_websocket_is_opened_where_the_server_has_one(tmp_path: Path) -> None:
    with served(websockets=True) as url:
        probe(ProbeOptions(url=url, wires=["openai-responses"], model="m", out=tmp_path / "one"))
    assert steps(tmp_path / "one")["websocket"].verdict == "pass", steps(tmp_path / "one")["websocket"]
    assert steps(tmp_path / "one")["websocket"].trace
    with served() as url:
        probe(ProbeOptions(url=url, wires=["openai-responses"], model="m", out=tmp_path / "none"))
    assert steps(tmp_path / "none")["websocket"].reason == "not shown: HTTP 426: the server has no WebSocket"


def test_what_the_model_does_not_do_is_not_shown(tmp_path: Path) -> None:
    with served() as url:
        probe(ProbeOptions(url=url, wires=["openai-chat"], model="m", out=tmp_path))
    assert steps(tmp_path)["token-limit"].reason == "not shown: the model ended its answer before"


def test_a_broken_server_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with served() as base, in_a_thread("no-done", dict.fromkeys(NATIVE_WIRES, base)) as url:
        assert probe(ProbeOptions(url=url, wires=["openai-chat"], model="m", out=tmp_path)) == 1
    assert [each.id for each in steps(tmp_path)["text"].findings] == ["SC-10"]
    assert "text               A plain question is answered, streamed. (SC-10)" in capsys.readouterr().out


def test_a_format_that_the_server_does_not_have_is_asked_for_once(tmp_path: Path) -> None:
    with served() as url:
        probe(ProbeOptions(url=f"{url}x", wires=["openai-chat"], model="m", out=tmp_path))
    found = steps(tmp_path).values()
    assert sum(case.requests for case in found) == 1
    assert {case.verdict for case in found} == {"skip"}


def test_the_budget_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with served() as url:
        probe(ProbeOptions(url=url, wires=["all"], model="m", budget=3, out=tmp_path))
    result = read_results(tmp_path / "results.json")
    assert sum(case.requests for case in result.cases) == 3
    assert "harness probe: at most 3 requests" in capsys.readouterr().out
    assert any("no request is left" in case.reason for case in result.cases)


def test_a_wrong_key_is_asked_with_a_key_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBED_KEY", "sk-probed-0123456789")
    with served() as url:
        probe(ProbeOptions(url=url, wires=["openai-chat"], model="m", key_env="PROBED_KEY", out=tmp_path))
    assert [each.id for each in steps(tmp_path)["wrong-key"].findings] == ["SX-KEY"]
    assert all("sk-probed" not in path.read_text() for path in tmp_path.rglob("*.json*"))


def test_another_host_is_asked_only_with_a_key_and_not_in_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PROBED_KEY", "k")
    monkeypatch.delenv("NO_KEY", raising=False)
    asked = {"wires": ["openai-chat"], "model": "m"}
    for url, key_env, message in (
        ("https://models.example.com", "", "expected a server on this machine"),
        ("http://models.example.com", "PROBED_KEY", "use https"),
        ("http://127.0.0.1:1", "NO_KEY", "got none of that name"),
        ("127.0.0.1:1", "", "expected the URL of a server"),
    ):
        with pytest.raises(BadInput, match=message):
            probe(ProbeOptions(url=url, key_env=key_env, **asked))  # type: ignore[arg-type]


def test_where_no_server_is_nothing_is_broken(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInput, match="no server answers"):
        probe(ProbeOptions(url="http://127.0.0.1:9", wires=("openai-chat",), model="m"))
    assert "broken" not in capsys.readouterr().out
