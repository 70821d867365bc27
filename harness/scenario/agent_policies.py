"""Checks keys that only scenarios of the profile ``coding-agent`` have, and keys that they do not have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from harness.scenario.agent_tools import AGENT_TOOLS
from harness.scenario.authored import ScenarioFile
from harness.scenario.documents import Key, Location, Problem
from harness.scenario.model import CODING_AGENT
from harness.scenario.words import either, shown


def check_agent(file: ScenarioFile, problem: Problem) -> None:
    """Only agents have work directories and neutral tools. An agent takes no system prompt or tools from outside."""
    if file.profile == CODING_AGENT:
        _check_brought(file, problem)
    else:
        _check_left_out(file, problem)
    for location, path in _paths(file):
        if not _is_inside(path):
            problem(location, "a path inside the work directory", shown(path), "write it like 'notes/todo.txt'")


def _check_brought(file: ScenarioFile, problem: Problem) -> None:
    neutral = either(AGENT_TOOLS)
    for index, tool in enumerate(file.tools):
        if not isinstance(tool, str):
            remedy = "call a tool that every agent has"
            problem(("tools", index), f"one of the neutral tools {neutral}", shown(tool.name), remedy)
        elif tool not in AGENT_TOOLS:
            problem(("tools", index), f"one of the neutral tools {neutral}", shown(tool), "an agent brings its own")
    for index, entry in enumerate([] if isinstance(file.prompt, str) else file.prompt):
        if entry.system is not None:
            remedy = "put it into the user's prompt"
            problem(("prompt", index), "'user' only: an agent brings its own system prompt", "'system'", remedy)


def _check_left_out(file: ScenarioFile, problem: Problem) -> None:
    got = f"profile '{file.profile}'"
    for index, tool in enumerate(file.tools):
        if isinstance(tool, str) and tool in AGENT_TOOLS:
            remedy = "describe a tool of this name, or use the profile"
            problem(("tools", index), f"{shown(tool)} only with profile '{CODING_AGENT}'", got, remedy)
    if file.files:
        problem((Key("files"),), f"'files' only with profile '{CODING_AGENT}'", got, "remove 'files'")
    if file.expect.files:
        problem(("expect", Key("files")), f"'files' only with profile '{CODING_AGENT}'", got, "remove 'files'")


def _paths(file: ScenarioFile) -> Iterator[tuple[Location, str]]:
    """Every path that the file names, with its place."""
    for path in file.files:
        yield ("files", Key(path)), path
    for path in file.expect.files:
        yield ("expect", "files", Key(path)), path
    for index, entry in enumerate(file.timeline):
        if not isinstance(entry.when, str) and entry.when.file is not None:
            yield ("timeline", index, "when", "file"), entry.when.file


def _is_inside(path: str) -> bool:
    pure = PurePosixPath(path)
    return not pure.is_absolute() and ".." not in pure.parts and str(pure) == path and "\\" not in path
