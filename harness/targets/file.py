"""Target files: what a loop of somebody's own is, how it is started, and what it declares of itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, Tag

from harness.errors import BadInput
from harness.scenario import PROFILES
from harness.scenario.authored.base import Authored, KnownWire, Slug, Words, by_shape
from harness.scenario.checking import checked
from harness.scenario.documents import Key, Location, read
from harness.scenario.words import shown
from harness.targets.base import Target
from harness.targets.command import CommandTarget, program
from harness.targets.declaration import Capability, Declaration
from harness.targets.function import FunctionTarget, is_found, undefined
from harness.trace.kinds import EVENTS
from harness.wire import WireName, wire_names

__all__ = ["open_file"]

if TYPE_CHECKING:
    ProfileName = str
    EventName = str
else:  # a checker cannot read the names off the tables
    ProfileName = Literal[tuple(PROFILES)]
    EventName = Literal[tuple(EVENTS)]

_ADDRESS = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*")
_HOST = re.compile(r"[\w.-]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")

_Command = Annotated[
    Annotated[Words, Tag("text")] | Annotated[list[Words], Field(min_length=1), Tag("words")],
    by_shape(lambda value: "words" if isinstance(value, list) else "text"),
]


_Model = Annotated[
    Annotated[Words, Tag("text")] | Annotated[dict[KnownWire, Words], Field(min_length=1), Tag("mapping")],
    by_shape(lambda value: "mapping" if isinstance(value, dict) else "text"),
]


class TargetFile(Authored):
    """The whole file."""

    one_of = ("command", "python")

    target: Slug
    command: _Command | None = None
    python: Words | None = None
    directory: Words = "."
    wires: Annotated[list[KnownWire] | None, Field(min_length=1)] = None
    profiles: list[ProfileName] = []  # noqa: RUF012 - pydantic copies the defaults of its models
    capabilities: list[Capability] | None = None
    emits: list[EventName] | None = None
    persistent: bool = False
    environment: dict[str, str] = {}  # noqa: RUF012 - as above
    passes: list[Words] = []  # noqa: RUF012 - as above
    model: _Model | None = None
    allow_refused: list[Words] = []  # noqa: RUF012 - as above
    isolate: bool = True

    @property
    def declaration(self) -> Declaration:
        """What is left out is as of a loop that declares nothing."""
        usual = Declaration()
        return Declaration(
            usual.wires if self.wires is None else frozenset(self.wires),
            frozenset({"universal", *self.profiles}),
            usual.capabilities if self.capabilities is None else frozenset(self.capabilities),
            None if self.emits is None else frozenset(self.emits),
            allow_refused=frozenset(each.lower() for each in self.allow_refused),
            models=self.models,
            wires_declared=self.wires is not None,
            isolate=self.isolate,
        )

    @property
    def models(self) -> tuple[tuple[WireName, str], ...]:
        """The model of every wire for which the file names one."""
        if isinstance(self.model, str):
            return tuple((wire, self.model) for wire in wire_names())
        return tuple((self.model or {}).items())


def open_file(path: Path) -> Target:
    """The target that the file describes. Raises ``BadInput`` with every problem of it."""
    document = read(path, path.parent, "target")
    entries = checked(document, TargetFile, {"": TargetFile})
    directory = path.parent / entries.directory
    wrong = [(document.place(location), words) for location, words in _wrong(entries, directory)]
    if wrong:
        wrong.sort(key=lambda each: (each[0].line, each[0].column))
        raise BadInput(*(f"{place}: {words}" for place, words in wrong))
    passes = tuple(entries.passes)
    if entries.python is not None:
        return FunctionTarget(
            entries.target, entries.python, entries.declaration, directory=directory.resolve(), passes=passes
        )
    words = program(entries.command or "", str(document.place(("command",))), directory)
    return CommandTarget(
        entries.target,
        words,
        entries.declaration,
        entries.environment,
        directory,
        persistent=entries.persistent,
        passes=passes,
    )


def _wrong(entries: TargetFile, directory: Path) -> Iterator[tuple[Location, str]]:
    """Where values of the right shape are wrong, and how."""
    if not directory.is_dir():
        folder = shown(entries.directory)
        yield ("directory",), f"expected a folder, relative to this file, got {folder}; correct it"
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
