"""Free ports for programs that the harness starts."""

from __future__ import annotations

import socket

import pytest

from harness.targets.command import ports
from harness.targets.command.ports import free_port


def test_the_system_gives_a_free_port_to_nobody_else() -> None:
    """What it hands out for connections begins at 32768 on Linux, and higher elsewhere."""
    found = {free_port() for _ in range(50)}
    assert max(found) < 32_768
    assert len(found) > 40


def test_something_can_listen_there() -> None:
    with socket.create_server(("127.0.0.1", free_port())) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_a_port_that_is_taken_is_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", free_port())) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(ports, "_PORTS", [port] * 99 + [free_port()])
        assert free_port() != port


def test_where_all_of_them_are_taken_the_system_chooses(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", free_port())) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setattr(ports, "_PORTS", [port] * 100)
        assert free_port() not in {0, port}
