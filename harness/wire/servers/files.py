"""Reads servers from ``servers.yaml`` and refusals from ``refusals.yaml``. It is imported on demand: most runs have no
server and need no YAML."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from harness.ground.data_files import Lined, read_data, with_tuples
from harness.wire.servers.model import Does, Practice, Server

SERVERS_FILE: Final = Path(__file__).with_name("servers.yaml")


def read_servers(path: Path = SERVERS_FILE) -> Mapping[str, Server]:
    """The servers of a file, by their names. Raises ``BadInput`` with the line of a wrong entry."""
    table: Lined = read_data(path)
    servers = {}
    for name in table:
        with table.at(name):
            servers[name] = _server(name, table[name])
    return servers


def _server(name: str, about: Mapping[str, Any]) -> Server:
    members = with_tuples(about)
    practices = tuple(practice for each in members.pop("practices", ()) for practice in _practices(each))
    return Server(name=name, practices=practices, **members)


def _practices(about: Mapping[str, Any]) -> Iterator[Practice]:
    """One for each rule that the server ``accepts`` or ``refuses``."""
    does: Does = "accepts" if "accepts" in about else "refuses"
    members = with_tuples(about)
    rules = members.pop(does, ())
    if not rules:
        raise ValueError("a practice says what the server accepts or refuses: a rule, or several")
    for rule in [rules] if isinstance(rules, str) else rules:
        yield Practice(rule, does, **members)
