"""A transport beside HTTP is a value: few modules know what a WebSocket is, and the others pass a channel on or ask it.

A module that names one knows of it, also in a docstring or a comment: docs/architecture.md counts the same.
One that names a value of such a module, such as ``SocketFault``, carries it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from harness.cli.command_line import parsed
from harness.endpoint import CaseEndpoint, Endpoints, ResponsePlan, ScriptSource
from harness.errors import BadInput
from harness.runner.opening import plan_for
from harness.scenario import load, shipped
from harness.trace import Case
from harness.wire import wire, wire_names
from harness.wire.channels import CHANNELS, TRANSPORTS, Channel, asked_for, channel, on_channel, words
from tests.test_wire_literals import modules

ROOT = Path(__file__).resolve().parent.parent

APART = {
    "harness/wire/openai_responses/": "the wire that has them says what its messages are",
    "harness/loop/sessions/openai_responses/": "its session asks on one",
    "harness/watch/": "its page has a WebSocket of its own, which is no transport of a loop",
}
"""What the transport is counted beside."""

KNOWS = {
    "harness/wire/channels.py": "the transports that there are, each as a value",
    "harness/wire/websocket.py": "how the messages of one say what requests and answers say",
    "harness/wire/base.py": "a wire has such a value for each of its channels",
    "harness/trace/model.py": "the record of what happens on one beside requests",
    "harness/scenario/model.py": "what a script does to one",
    "harness/scenario/authored/answers.py": "the words of a scenario file for that",
    "harness/endpoint/on_websocket.py": "what serves one",
    "harness/endpoint/socket_case.py": "its messages as requests of a case",
    "harness/endpoint/steered.py": "what a client sends on one while its response arrives",
    "harness/endpoint/socket_connection.py": "its I/O at the endpoint",
    "harness/endpoint/socket_faults.py": "what a script does to one",
    "harness/cassette/over_socket.py": "what a cassette has of one",
    "harness/cassette/on_websocket.py": "its I/O to an upstream",
    "harness/fuzz/http/kinds.py": "a request for one that the server must refuse",
    "harness/rules/sockets.py": "the rules about what a loop does with one",
    "harness/rules/demonstration.py": "on which one the request of an example is sent",
    "harness/servers/on_websocket.py": "what a probe asks on one",
    "harness/targets/shipped.py": "which third-party loops ask on one is a fact about them",
    "harness/targets/drivers/openai_agents.py": "a third-party library has a class for it",
    "harness/targets/drivers/openai_connection.py": "a third-party library has a class for it",
}
"""The modules that name it, and what each of them knows."""

CARRIES = {
    "harness/cassette/__init__.py": "exports OverSocket",
    "harness/cassette/interaction.py": "an interaction has one, or opens a connection",
    "harness/cassette/matching.py": "the opening of a connection answers no request",
    "harness/cassette/misses/miss.py": "the opening of a connection answers no request",
    "harness/cassette/own.py": "a delivery has its members in a file",
    "harness/cli/cassettes/overview.py": "the opening of a connection is no request",
    "harness/cli/cassettes/show.py": "shows it in its own words",
    "harness/rules/reported.py": "a request may be counted for which none could be opened",
    "harness/cassette/pieces.py": "puts it into a delivery",
    "harness/runner/redacting.py": "a record without texts of a loop is kept as it is",
    "harness/scenario/__init__.py": "exports SocketFault",
    "harness/scenario/authored/__init__.py": "exports SocketEntry",
    "harness/scenario/checking.py": "which entry has the keys below 'socket'",
    "harness/scenario/compiling.py": "makes the fault of an entry",
    "harness/trace/__init__.py": "exports the record",
}
"""Those that name a value of these modules, and what they do with it."""

_NAME = re.compile("[Ww]eb[Ss]ocket")


def product() -> dict[str, str]:
    """The modules among which the transport is counted; a link to a client that users copy is none of them."""
    own = {path: source for path, source in modules().items() if not path.startswith(tuple(APART))}
    return {path: source for path, source in own.items() if (ROOT / path).resolve() == ROOT / path}


def values(sources: dict[str, str]) -> frozenset[str]:
    """What the modules that know of it define for others: names with a socket in them."""
    trees = [ast.parse(sources[path]) for path in sources if path in KNOWS or path == "harness/cassette/interaction.py"]
    defined = (
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)
    )
    return frozenset(name for name in defined if "socket" in name.lower() and name != "socket" and name[0] != "_")


def carried(source: str, names: frozenset[str]) -> Iterator[str]:
    """Those of the names that a module has in its code."""
    for node in ast.walk(ast.parse(source)):
        used = getattr(node, "id", None) or getattr(node, "attr", None)
        used = node.name if isinstance(node, ast.alias) else used
        if used in names:
            yield used


def test_no_other_module_names_it_and_each_that_may_does() -> None:
    assert {path for path, source in product().items() if _NAME.search(source)} == set(KNOWS)


def test_no_other_module_carries_what_is_its_own_and_each_that_may_does() -> None:
    sources = product()
    names = values(sources)
    assert {"SocketFault", "SocketRecord", "OverSocket", "SocketMode", "opens_socket"} <= names
    found = {path for path, source in sources.items() if path not in KNOWS and any(carried(source, names))}
    assert found == set(CARRIES)


def test_the_documentation_has_the_count() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    section = text.partition("### What the transport costs")[2].partition("\n## ")[0]
    assert f"{len(KNOWS)} modules of the product name WebSockets" in section
    assert f"{len(CARRIES)} more" in section
    rooms = [
        int(row.split("|")[2]) for row in section.splitlines() if re.match(r"\| [a-z]", row) and "modules" not in row
    ]
    assert sum(rooms) == len(KNOWS)


def test_a_planted_name_is_found() -> None:
    assert _NAME.search("# over a WebSocket") is not None
    assert _NAME.search("opened = socket.create_connection(place)") is None
    source = "from harness.scenario import SocketFault\nfault: SocketFault = step.socket\nsocket.socket()\n"
    assert [*carried(source, frozenset({"SocketFault"}))] == ["SocketFault", "SocketFault"]


@pytest.mark.parametrize("package", ["endpoint", "cassette", "servers"])
@pytest.mark.parametrize("name", CHANNELS)
def test_each_package_that_has_connections_has_a_module_for_each_channel(package: str, name: str) -> None:
    assert on_channel(f"harness.{package}", name) is not None


def test_a_channel_that_is_added_is_offered_planned_and_refused_by_what_is_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """No module but the one with the table is touched for that."""
    monkeypatch.setitem(cast("dict[str, Channel]", CHANNELS), "pigeon", Channel("pigeon", "Pigeon", "docs", "avian"))
    with pytest.raises(SystemExit):
        parsed(["serve", "--help"])
    shown = " ".join(capsys.readouterr().out.split())
    assert "--no-pigeon refuse Pigeons (426)" in shown
    assert parsed(["serve", "--no-pigeon"]).without_channels == ["pigeon"]
    with pytest.raises(BadInput, match="--transport pigeon: no case is on a wire with Pigeons that the target speaks"):
        plan_for("wire-only", load([shipped()]), transport="pigeon")
    endpoints = Endpoints()
    case = Case(id="a-case", scenario="a-case", wire="openai-responses")
    prefix = endpoints.open("a-case", CaseEndpoint(case, ScriptSource(()), clock=float), channels=CHANNELS)
    assert endpoints.connection(f"{prefix}/v1/responses", {}, "pigeon") is None, "no wire has it"
    _, _, refused = endpoints.answer("GET", f"{prefix}/v1/responses", {"Upgrade": "avian/1"}, b"")
    assert isinstance(refused, ResponsePlan)
    assert (refused.status, b"Pigeon connections are not served" in refused.chunks[0]) == (426, True)
    assert endpoints.not_served("a-case") == {"GET /v1/responses (pigeon)": 1}


def test_no_wire_has_two_channels_and_each_that_it_has_is_one() -> None:
    """A request says the number of its connection, and not which channel that was on."""
    for name in wire_names():
        assert len(wire(name).channels) <= 1
        assert wire(name).channels.keys() <= CHANNELS.keys()


def test_a_channel_is_asked_by_its_name_and_by_what_asks_for_it() -> None:
    assert TRANSPORTS == ("http", "websocket")
    assert channel("websocket").one == words("one") == "a WebSocket"
    assert asked_for("WebSocket") is channel("websocket")
    assert asked_for("h2c") is None
    with pytest.raises(BadInput, match="expected a transport of http, websocket; got 'carrier-pigeon'"):
        channel("carrier-pigeon")
