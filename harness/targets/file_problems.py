"""Problems of a target file in which every value has the right shape."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from harness.scenario.agent_tools import AGENT_TOOLS, words_in
from harness.scenario.documents import Document, Key, Location
from harness.scenario.model import CODING_AGENT
from harness.scenario.words import did_you_mean, either, shown
from harness.targets.agent.words import CASE_WORDS, FILE_WORDS, misspelt
from harness.targets.function import is_found, undefined

if TYPE_CHECKING:
    from harness.targets.file_entries import TargetFile

_ADDRESS: Final = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_HOST: Final = re.compile(r"[\w.*-]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_OF_COMMANDS: Final = {
    "version": "write down which version it is elsewhere",
    "install": "a function is imported",
    "home": "a function has the home directory of the harness",
    "setup": "a function reads what it likes",
    "workdir": "a function has no folder of its own",
    "writes": "a function writes what its user may",
    "by_wire": "ask the case for its wire",
    "input": "a function reads no standard input",
    "interrupt": "a function is cancelled as a task",
    "again": "a function is called again",
    "compact": "a function is called with case.compacts",
    "tools": "a function is given the tools of the case",
    "events": "a function emits the events of harness.api",
    "url": "a function is called",
    "own_tools": "a function runs the tools that it likes to run",
}
"""Keys that mean nothing for a function, and what to do instead."""

_Found = Iterator[tuple[Location, str]]


def problems_of(document: Document, entries: TargetFile, directory: Path, folder: Path) -> list[str]:
    """Every problem with its place, in the order in which they are in the file."""
    found = [
        (document.place(location), words)
        for problems in (_of_any(entries, directory), _of_programs(entries, folder), _of_functions(entries, directory))
        for location, words in problems
    ]
    found.sort(key=lambda each: (each[0].line, each[0].column))
    return [f"{place}: {words}" for place, words in found]


def _of_any(entries: TargetFile, directory: Path) -> _Found:
    if not directory.is_dir():
        got = shown(entries.directory)
        yield ("directory",), f"expected a folder, relative to this file, got {got}; correct it"
    for name in entries.environment:
        if not _VARIABLE.fullmatch(name):
            known = "a variable's name of letters, digits and '_'"
            yield ("environment", Key(name)), f"expected {known}, got {shown(name)}; rename it"
    for number, name in enumerate(entries.passes):
        if not _VARIABLE.fullmatch(name):
            known = "the name of a variable, of letters, digits and '_'"
            yield ("passes", number), f"expected {known}, got {shown(name)}; write its name without its value"
    for number, host in enumerate(entries.allow_refused):
        if not _HOST.fullmatch(host):
            known = "the name or the address of a host, without scheme, port and path"
            yield ("allow_refused", number), f"expected {known}, got {shown(host)}; write it like 'api.example.com'"
    if entries.persistent and entries.emits == []:
        expected = "at least one kind of event, since a persistent command ends its cases on standard output"
        yield ("emits",), f"expected {expected}, got none; leave 'emits' out, or 'persistent'"


def _of_functions(entries: TargetFile, directory: Path) -> _Found:
    if entries.python is None:
        return
    package = re.split(r"[.:]", entries.python)[0]
    if not _ADDRESS.fullmatch(entries.python):
        address = "an address like 'package.module:function'"
        yield ("python",), f"expected {address}, got {shown(entries.python)}; write it like that"
    elif not is_found(package, directory.resolve()):
        expected = f"a package that can be imported in {directory}"
        yield ("python",), f"expected {expected}, got {shown(package)}; install it, or name its 'directory'"
    if "persistent" in entries.model_fields_set:
        remedy = "leave it out: a function runs all its cases in one process"
        yield (Key("persistent"),), f"expected 'persistent' beside 'command' only, got 'python'; {remedy}"
    elif why := undefined(entries.python, directory.resolve()):
        yield ("python",), why
    if "environment" in entries.model_fields_set:
        remedy = "set the variables where you run the harness"
        yield (Key("environment"),), f"expected 'environment' beside 'command' only, got 'python'; {remedy}"
    for key, remedy in _OF_COMMANDS.items():
        if key in entries.model_fields_set:
            yield (Key(key),), f"expected '{key}' beside 'command' only, got 'python'; leave it out: {remedy}"


# --- programs in folders of their own -------------------------------------------------------------------------


def _of_programs(entries: TargetFile, folder: Path) -> _Found:
    if entries.python is not None:
        return
    yield from _of_servers(entries)
    yield from _folders(entries, folder)
    yield from _runs(entries)
    yield from _words(entries)
    yield from _tools(entries)


_NOT_OF_SERVERS: Final = {
    "home": "a server serves cases where it was started",
    "setup": "a server reads what it likes",
    "workdir": "a server serves cases where it was started",
    "writes": "a server writes what its user may",
    "by_wire": "write a target file for each wire",
    "input": "a server reads nothing",
    "interrupt": "a run that is posted is not cancelled",
    "again": "every run is posted to the same address",
    "compact": "AG-UI has no such request",
    "version": "write down which version it is elsewhere",
    "tools": "the tools of the case are offered as tools of the user's program",
}
"""Keys that mean nothing for a server, and what to do instead."""


_NEEDS_A_DRIVER: Final = frozenset(
    {"cancel", "steer", "resume", "compact", "switch-model", "switch-wire", "switch-key", "approve", "limit"}
)
"""Capabilities that need a driver: a server has none of them over AG-UI."""


def _of_servers(entries: TargetFile) -> _Found:
    if entries.url is None:
        if entries.own_tools:
            remedy = "leave it out: a command runs the tools that it likes to run"
            yield (Key("own_tools"),), f"expected 'own_tools' beside 'url' only, got no 'url'; {remedy}"
        return
    if entries.events != "ag-ui":
        yield ("url",), "expected 'events: ag-ui' beside 'url', got our own format; add 'events: ag-ui'"
    if entries.wires is None:
        yield ("url",), "expected 'wires' beside 'url', got none; write which API formats the agent speaks"
    for why in _wrong_address(entries.url):
        yield ("url",), f"expected an address like 'http://127.0.0.1:$port/agui', got {shown(entries.url)}; {why}"
    for number, capability in enumerate(entries.capabilities or ()):
        if capability in _NEEDS_A_DRIVER:
            remedy = "remove it: a run that is posted is not cancelled, steered or switched"
            yield ("capabilities", number), f"expected no {capability!r} beside 'url', got it; {remedy}"
    words = [*_several(entries.command), *entries.environment.values()]
    if not any("port" in words_in(word) for word in words):
        remedy = "write $port where it takes its port"
        yield ("command",), f"expected $port in 'command' or 'environment', got a server without; {remedy}"
    for key, remedy in _NOT_OF_SERVERS.items():
        if key in entries.model_fields_set:
            yield (Key(key),), f"expected no '{key}' beside 'url', got one; leave it out: {remedy}"


def _wrong_address(url: str) -> Iterator[str]:
    parts = urlsplit(url.replace("${port}", "$port"))
    if parts.scheme != "http" or parts.hostname not in ("127.0.0.1", "localhost"):
        yield "it must be on this machine, without TLS"
    elif not parts.netloc.endswith(":$port"):
        yield "several of it may run at once, so write $port for the port"


def _folders(entries: TargetFile, folder: Path) -> _Found:
    if entries.setup and entries.home is None:
        yield (Key("setup"),), "expected 'setup' beside 'home: temporary' only, got no 'home'; add 'home: temporary'"
    for path in entries.setup:
        pure = PurePosixPath(path)
        if pure.is_absolute() or ".." in pure.parts or str(pure) != path:
            known = "a path inside the home directory"
            yield ("setup", Key(path)), f"expected {known}, got {shown(path)}; write it like '.config/agent.json'"
    if entries.writes and (entries.home is None or entries.workdir is None):
        remedy = "leave it out: else a program may write what its user may"
        yield (Key("writes"),), f"expected 'writes' beside 'home' and 'workdir' only, got no such folder; {remedy}"
    template = None if entries.workdir in (None, "temporary") else getattr(entries.workdir, "template", None)
    if template is not None and not (folder / template).is_dir():
        expected = "a folder, relative to this file"
        yield ("workdir", "template"), f"expected {expected}, got {shown(template)}; correct it"


def _runs(entries: TargetFile) -> _Found:
    if entries.persistent:
        for key in ("home", "workdir", "input", "interrupt", "again", "compact"):
            if key in entries.model_fields_set:
                remedy = "remove one of them: a process that runs many cases has one folder, and reads its cases"
                yield (Key(key),), f"expected '{key}' beside a process for each case, got 'persistent'; {remedy}"
    if entries.input == "nothing" and entries.emits:
        remedy = "leave 'emits' out: a program that reads no case emits no events"
        yield ("emits",), f"expected no events with 'input: nothing', got {len(entries.emits)}; {remedy}"
    if entries.input == "nothing" and "cancel" in (entries.capabilities or ()) and entries.interrupt is None:
        remedy = "add 'interrupt: SIGINT', or remove 'cancel'"
        yield ("capabilities",), f"expected 'interrupt' for the capability 'cancel', got 'input: nothing'; {remedy}"
    if entries.input == "nothing" and "compact" in (entries.capabilities or ()) and entries.compact is None:
        remedy = "add 'compact' with the command, or remove the capability"
        yield ("capabilities",), f"expected 'compact' for the capability 'compact', got 'input: nothing'; {remedy}"
    if entries.input == "nothing" and "steer" in (entries.capabilities or ()):
        remedy = "write 'input: case', or remove 'steer'"
        yield ("capabilities",), f"expected 'input: case' for the capability 'steer', got 'input: nothing'; {remedy}"


def _words(entries: TargetFile) -> _Found:
    """Unknown names behind ``$`` that are almost known ones."""
    own = {word for words in entries.by_wire.values() for word in words}
    known = {*CASE_WORDS, *FILE_WORDS, *own, *({"port"} if entries.url is not None else ())}
    for wire, words in entries.by_wire.items():
        for word in words:
            if word in CASE_WORDS or word in FILE_WORDS:
                yield ("by_wire", wire, Key(word)), f"expected a name of its own, got {shown(word)}; rename it"
    missing = {word: wire for wire in entries.wires or () for word in own - entries.by_wire.get(wire, {}).keys()}
    for word, wire in sorted(missing.items()):
        yield ("by_wire",), f"expected {shown(word)} for every wire of the file, got none for {wire}; add it"
    texts: list[tuple[tuple[str, ...], str]] = [
        *((("command",), text) for text in _several(entries.command)),
        *((("again",), text) for text in _several(entries.again)),
        *((("compact",), text) for text in _several(entries.compact)),
        *((("setup", path), text) for path, text in entries.setup.items()),
        *((("environment", name), text) for name, text in entries.environment.items()),
    ]
    for location, text in texts:
        for word, close in misspelt(text, known):
            yield location, f"expected one of the words ${', $'.join(sorted(known))}, got ${word}; write ${close}"


def _several(words: str | list[str] | None) -> list[str]:
    return [words] if isinstance(words, str) else words or []


def _tools(entries: TargetFile) -> _Found:
    if entries.tools and CODING_AGENT not in entries.profiles:
        remedy = f"add 'profiles: [{CODING_AGENT}]', or remove 'tools'"
        yield (Key("tools"),), f"expected 'tools' with the profile '{CODING_AGENT}' only, got other profiles; {remedy}"
    if CODING_AGENT in entries.profiles and not entries.tools:
        remedy = "map the neutral tools to those of the agent (docs/own-agent.md)"
        yield ("profiles",), f"expected 'tools' for the profile '{CODING_AGENT}', got none; {remedy}"
    if CODING_AGENT in entries.profiles and entries.workdir is None:
        remedy = "add 'workdir: temporary', so that an agent changes none of your files"
        yield ("profiles",), f"expected 'workdir' for the profile '{CODING_AGENT}', got none; {remedy}"
    for tool, entry in entries.tools.items():
        known = [*_arguments(tool), "workdir"]
        for word in words_in(dict(entry.arguments)):
            if word not in known:
                hint = did_you_mean(word, known)
                yield (
                    ("tools", tool, "arguments"),
                    f"expected {either(f'${each}' for each in known)}, got ${word}; correct it{hint}",
                )


def _arguments(tool: str) -> list[str]:
    properties = AGENT_TOOLS[tool].parameters["properties"]
    return list(properties) if isinstance(properties, dict) else []
