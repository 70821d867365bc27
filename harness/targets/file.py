"""Target files: read, checked, and opened as targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from harness.errors import BadInput
from harness.scenario.agent_tools import text_of
from harness.scenario.checking import checked
from harness.scenario.documents import Document, read
from harness.targets.agent.words import PREFIX
from harness.targets.agui import AgUiTarget
from harness.targets.base import Target
from harness.targets.command.program import program
from harness.targets.command.target import CommandTarget
from harness.targets.extending import Extended, extended
from harness.targets.file_entries import ENTRIES_OF_FILE, TargetFile
from harness.targets.file_problems import problems_of
from harness.targets.function import FunctionTarget
from harness.targets.installed import file_of, words_of_agent


def open_file(path: Path, words: Mapping[str, str] | None = None, name: str = "") -> Target:
    """The target that the file describes. Raises ``BadInput`` with every problem of it.

    ``words`` has the values of ``$package`` and ``$node`` for the file of an installed agent. ``name`` is the name of
    the target if it is not the file's.
    """
    document, entries, base = check_file(path)
    folder = base.folder
    words = {"folder": str(folder.resolve()), **(words or base.words())}
    directory = folder / entries.directory
    passes, name = tuple(entries.passes), name or entries.target
    if entries.python is not None:
        return FunctionTarget(name, entries.python, entries.declaration, directory=directory.resolve(), passes=passes)

    def command(key: str, value: str | Sequence[str] | None) -> tuple[str, ...]:
        if value is None:
            return ()
        found = program(value, str(document.place((key,))), directory, words, entries.install)
        return found if entries.workdir is None else _from(directory, found)

    if entries.url is not None:
        return AgUiTarget(
            name,
            entries.url,
            command("command", entries.command),
            entries.declaration,
            {name: text_of(value, words) for name, value in entries.environment.items()},
            directory,
            persistent=entries.persistent,
            passes=passes,
        )
    return CommandTarget(
        name,
        command("command", entries.command),
        entries.declaration,
        {name: text_of(value, words) for name, value in entries.environment.items()},
        directory,
        persistent=entries.persistent,
        passes=passes,
        agent=entries.agent(words, command("again", entries.again), command("compact", entries.compact)),
        version_command=command("version", entries.version),
        events=entries.events,
    )


def _from(directory: Path, command: tuple[str, ...]) -> tuple[str, ...]:
    """The command with its program as a path that works in any folder. It was relative to ``directory``."""
    name = command[0]
    return (str(directory.resolve() / name), *command[1:]) if "/" in name else command


def check_file(path: Path) -> tuple[Document, TargetFile, Extended]:
    """Like ``read_file``, but check also that the values fit each other. Does not look for the program."""
    document, entries, base = read_file(path)
    if problems := problems_of(document, entries, base.folder / entries.directory, base.folder):
        raise BadInput(*problems)
    return document, entries, base


def read_file(path: Path) -> tuple[Document, TargetFile, Extended]:
    """The file, checked, with what it extends. Raises ``BadInput``."""
    document = read(path, path.parent, "target")
    base = extended(document, path, _check)
    return document, _check(document, base.data), base


def _check(document: Document, data: Any) -> TargetFile:
    return checked(document, TargetFile, ENTRIES_OF_FILE, data=data)


def open_agent(agent: str) -> Target:
    """The target ``cli:AGENT``. Raises ``BadInput`` if it is not installed."""
    return open_file(file_of(agent), words_of_agent(agent), f"{PREFIX}{agent}")
