"""The servers that the endpoint is measured beside play the same loop as ours. No time is asserted."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import servers
from benchmarks.tracking.figure import Figure, LeftOut


def test_without_node_aimock_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "which", lambda _: None)
    assert servers._missing() == "node is not installed"


def test_without_its_package_aimock_is_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(servers, "which", lambda _: "/usr/bin/node")
    monkeypatch.setattr(servers, "AIMOCK", tmp_path / "aimock.mjs")
    assert servers._missing() == "`npm ci --prefix benchmarks/node` has not been run"


@pytest.mark.exhaustive
def test_every_server_plays_the_loop_with_every_client(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "CONNECTIONS", 2)
    monkeypatch.setattr(servers, "LOOPS", 1)
    rows = list(servers.figures(quick=True))
    beside = {"raw asyncio, one write", "raw asyncio, a write per event"}
    if servers._missing():
        assert rows[0] == LeftOut("beside aimock", servers._missing())
    else:
        beside.add("aimock")
    figures = {(row.what.partition(" of ")[0], row.beside) for row in rows if isinstance(row, Figure)}
    for wire in servers.PATHS:
        for client in ("httpx2", "the SDK"):
            assert {peer for what, peer in figures if what == f"requests by {client}, {wire}"} == beside
    assert {peer for what, peer in figures if what == "a request"} == beside
