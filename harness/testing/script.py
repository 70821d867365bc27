"""The answers of a scripted model in a test: turns as in scenario files, checked against the tools it is offered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from harness.endpoint import ModelRequest
from harness.ground.bounded_json import loads
from harness.scenario import HttpErrorStep, Step
from harness.scenario.arguments import argument_problems, validator
from harness.scenario.authored import CallEntry, PartEntry, ScenarioFile, TurnEntry
from harness.scenario.checking import check
from harness.scenario.compiling import compile_file
from harness.scenario.documents import Document, FilePlace, Location
from harness.scenario.references import is_placeholder_at
from harness.wire import Call, ToolDeclaration, WireName
from harness.wire import wire as wire_named


@dataclass(frozen=True, slots=True)
class Misfit:
    """A scripted call that does not fit the tools of the request. ``request`` counts from 0."""

    request: int
    expected: str
    got: str


class Script:
    """Answers each request with the next of ``turns``, which are the entries of a scenario's ``model``.

    A request must offer every tool that its answer calls, with arguments that fit, unless the entry says ``invalid:
    true``. Otherwise the test and the loop have different tools in mind. Raises ``BadInput`` for a turn that cannot be
    read.
    """

    def __init__(self, wire: WireName, turns: Sequence[Mapping[str, Any]]) -> None:
        file = check(_InlineTurns(wire, turns))
        self.misfits: list[Misfit] = []
        self._checked = wire_named(wire).declares_tools
        self._intended = [_invalid_flags(entry) for entry in file.model for _ in range(entry.repeat)]
        self._steps = compile_file(_InlineTurns(wire, turns), _unchecked_file(file)).steps
        self._at = 0

    def __len__(self) -> int:
        return len(self._steps)

    @property
    def complete(self) -> bool:
        """Whether every turn has been asked for."""
        return self._at == len(self._steps)

    def next(self, request: ModelRequest) -> Step | None:
        """The next turn; None if there is none left."""
        if self._at >= len(self._steps):
            return None
        step, intended = self._steps[self._at], self._intended[self._at]
        if self._checked and not isinstance(step, HttpErrorStep) and step.native is None:
            self.misfits += _misfits(self._at, step.turn.calls, intended, request.conversation.tools)
        self._at += 1
        return step

    def left(self) -> Sequence[str]:
        """Return nothing: requests that were not made are reported as a number."""
        return ()  # reported as the number of requests


# --- the calls of a turn, and the tools that the loop offers -------------------------------------------------------


def _misfits(
    request: int, calls: Sequence[Call], intended: Sequence[bool], offered: Sequence[ToolDeclaration]
) -> Iterator[Misfit]:
    tools = {tool.name: tool for tool in offered}
    for call, invalid in zip(calls, intended, strict=True):
        if invalid:
            continue
        if call.name not in tools:
            yield Misfit(
                request, f"a tool that the request offers: {', '.join(tools) or 'none'}", f"a call of {call.name}"
            )
        else:
            for why in _breaches(call, tools[call.name]):
                yield Misfit(request, f"arguments that the tool {call.name} allows", why)


def _breaches(call: Call, tool: ToolDeclaration) -> Iterator[str]:
    try:
        schema = validator(tool.parameters)
    except ValueError:  # another dialect than JSON Schema, which Gemini takes
        return
    for problem in argument_problems(call.arguments or "{}", schema):
        if problem.path and is_placeholder_at(loads(call.arguments), problem.path):
            continue  # what a result will be is not known before
        yield f"{'.'.join(map(str, problem.path)) or call.arguments}: {problem.message}"


def _invalid_flags(entry: object) -> list[bool]:
    """For each call of a turn, whether it is wrong on purpose."""
    return [isinstance(call, CallEntry) and bool(call.invalid) for call in _calls(entry)]


def _calls(entry: object) -> list[CallEntry | dict[str, dict[str, Any]]]:
    if not isinstance(entry, TurnEntry):
        return []
    return [part.call for part in entry.parts or () if part.call is not None] or list(entry.calls or ())


# --- turns without the rest of a scenario --------------------------------------------------------------------------


def _unchecked_file(file: ScenarioFile) -> ScenarioFile:
    """The file with all calls marked as invalid, since it offers no tools."""
    return file.model_copy(update={"model": [_with_any_call(entry) for entry in file.model]})


def _with_any_call(entry: Any) -> Any:
    if not isinstance(entry, TurnEntry):
        return entry
    calls = [_any(call) for call in entry.calls or ()]
    parts = [_with_any(part) for part in entry.parts or ()]
    return entry.model_copy(update={"calls": calls or None, "parts": parts or None})


def _with_any(part: PartEntry) -> PartEntry:
    return part if part.call is None else part.model_copy(update={"call": _any(part.call)})


def _any(call: CallEntry | dict[str, dict[str, Any]]) -> CallEntry:
    if isinstance(call, CallEntry):
        return call.model_copy(update={"invalid": True})
    ((name, arguments),) = call.items()
    return CallEntry(name=name, arguments=arguments, invalid=True)


@dataclass(frozen=True, slots=True)
class _Spot(FilePlace):
    """A place in what a test has written."""

    words: str

    def __str__(self) -> str:
        return self.words


class _InlineTurns(Document):
    """A test's turns as the document of a scenario. Problems name their place in the list."""

    def __init__(self, wire: WireName, turns: Sequence[Mapping[str, Any]]) -> None:
        data = {
            "scenario": "fake-model",
            "profile": "universal",
            "summary": "The script of a test.",
            "wires": [wire],
            "prompt": "The test's own.",
            "model": list(turns),
            "expect": {"outcome": "completed"},
        }
        super().__init__(Path("turns"), "", yaml.MappingNode("", []), data)

    def place(self, location: Location = ()) -> FilePlace:
        words, value = "turns", self.data["model"]
        for element in location[1:]:
            if isinstance(element, int) and isinstance(value, list):
                words, value = f"{words}[{element}]", value[element]
            elif isinstance(element, str) and isinstance(value, Mapping) and element in value:
                words, value = f"{words}.{element}", value[element]
        return _Spot(self.path, 1, 1, words)
