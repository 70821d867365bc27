"""What only some profiles know: kinds of tools and calls that wait, skills, callers that change the history.

Compiles these keys of a file, and checks that they stand in a scenario of their profile and fit its tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from harness.scenario.agent_policies import check_agent
from harness.scenario.authored import (
    ActionEntry,
    CallerEntry,
    EditEntry,
    MessageEntry,
    ResolveEntry,
    ScenarioFile,
    ToolEntry,
)
from harness.scenario.callers import (
    CallerAction,
    EditedTurn,
    EditToolResponse,
    GenerateToolResponse,
    Piece,
    PushMessages,
    Resolve,
    Round,
    SetMessages,
    SetParams,
)
from harness.scenario.documents import Key, Location, Problem
from harness.scenario.model import RESILIENT
from harness.scenario.words import did_you_mean, either, shown
from harness.wire import wire, wires

_PROFILES_OF = {
    "resolve": ("pydantic-ai",),
    "answer_schema": ("pydantic-ai", RESILIENT),
    "skills": ("hugind",),
    "caller": ("tool-runner",),
}
_OF_TOOLS = ("kind", "extra", "finishes_after")
_RESOLVED_BY = {"unapproved": ("approve", "deny"), "external": ("supply", "fail", "deny")}

_Resolution = Literal["approve"] | ResolveEntry
_Words = _Resolution | list[_Resolution]


def check_profile(file: ScenarioFile, problem: Problem) -> None:
    """Every key stands in a scenario of the profile that knows it."""
    if file.suite is not None and file.profile != "universal":
        remedy = f"remove it: the suite of this scenario is '{file.profile}'"
        problem((Key("suite"),), "'suite' only with profile 'universal'", _profile(file), remedy)
    for key, profiles in _PROFILES_OF.items():
        if key in file.model_fields_set and file.profile not in profiles:
            words = either([f"'{name}'" for name in profiles])
            problem((Key(key),), f"'{key}' only with profile {words}", _profile(file), f"remove '{key}'")
    check_agent(file, problem)
    for index, tool in enumerate(file.tools):
        if isinstance(tool, ToolEntry):
            _check_tool(file, tool, ("tools", index), problem)
    if file.skills and not (isinstance(file.wires, list) and all(wire(name).has_skills for name in file.wires)):
        remedy = f"add 'wires: [{', '.join(each.name for each in wires() if each.has_skills)}]'"
        problem(("skills",), "'skills' only on the wire that reports them", "other wires", remedy)


def _check_tool(file: ScenarioFile, tool: ToolEntry, location: Location, problem: Problem) -> None:
    for key in _OF_TOOLS:
        if key in tool.model_fields_set and not (
            file.profile == "pydantic-ai" or _waits_in_a_timeline(file, tool, key) or _ends_the_run(file, tool, key)
        ):
            expected = f"'{key}' only with profile 'pydantic-ai'"
            if key == "kind":
                expected += f", or 'kind: unapproved' with a timeline, or 'kind: output' with profile '{RESILIENT}'"
            problem((*location, Key(key)), expected, _profile(file), f"remove '{key}'")
    others = [name for name in _run_by_the_loop(file) if name != tool.name]
    if tool.finishes_after is not None and tool.finishes_after not in others:
        remedy = f"name the tool that ends first{did_you_mean(tool.finishes_after, others)}"
        problem(
            (*location, "finishes_after"), "another tool that the loop runs at once", shown(tool.finishes_after), remedy
        )


def _waits_in_a_timeline(file: ScenarioFile, tool: ToolEntry, key: str) -> bool:
    profiles = ("universal", RESILIENT)
    return key == "kind" and tool.kind == "unapproved" and file.profile in profiles and bool(file.timeline)


def _ends_the_run(file: ScenarioFile, tool: ToolEntry, key: str) -> bool:
    return key == "kind" and tool.kind == "output" and file.profile == RESILIENT


def _profile(file: ScenarioFile) -> str:
    return f"profile '{file.profile}'"


def _run_by_the_loop(file: ScenarioFile) -> Iterable[str]:
    for tool in file.tools:
        if not isinstance(tool, ToolEntry):
            yield tool
        elif tool.kind == "function":
            yield tool.name


# --- calls that wait --------------------------------------------------------------------------------------


def rounds(file: ScenarioFile, problem: Problem) -> tuple[Round, ...]:
    """What becomes of the calls that wait, one entry for every time the run is deferred."""
    return tuple(round_of(file, entry, ("resolve", index), problem) for index, entry in enumerate(file.resolve))


def round_of(file: ScenarioFile, entry: Mapping[str, _Words], location: Location, problem: Problem) -> Round:
    """What becomes of the calls that wait, by tool."""
    kinds = {tool.name: tool.kind for tool in file.tools if isinstance(tool, ToolEntry) and tool.kind in _RESOLVED_BY}
    return {name: _resolution(value, name, kinds, (*location, name), problem) for name, value in entry.items()}


def _resolution(
    value: _Words,
    name: str,
    kinds: Mapping[str, str],
    location: Location,
    problem: Problem,
) -> Resolve | tuple[Resolve, ...]:
    if name not in kinds:
        remedy = f"name one{did_you_mean(name, kinds)}" if kinds else "give a tool such a kind"
        problem(location, "a tool of kind 'external' or 'unapproved'", shown(name), remedy)
    each = [_resolve(entry) for entry in (value if isinstance(value, list) else [value])]
    for resolve in each:
        allowed = _RESOLVED_BY.get(kinds.get(name, ""), (resolve.how,))
        if resolve.how not in allowed:
            words = either([f"'{how}'" for how in allowed])
            problem(location, f"{words} for a tool of kind '{kinds[name]}'", f"'{resolve.how}'", "write one of these")
    return tuple(each) if isinstance(value, list) else each[0]


def _resolve(entry: _Resolution) -> Resolve:
    if not isinstance(entry, ResolveEntry):
        return Resolve("approve")
    if entry.deny is not None:
        return Resolve("deny", entry.deny)
    return Resolve("supply", entry.supply) if entry.fail is None else Resolve("fail", entry.fail)


# --- callers that change the history ----------------------------------------------------------------------


def actions(file: ScenarioFile, problem: Problem) -> Mapping[int, tuple[CallerAction, ...]]:
    """What the caller does between turns, by the number of the turn."""
    done: dict[int, tuple[CallerAction, ...]] = {}
    for index, entry in enumerate(file.caller):
        if entry.after in done:
            place = ("caller", index, "after")
            problem(place, "every turn once", f"{entry.after} again", "put both lists together")
        _check_params(file, entry, ("caller", index), problem)
        done[entry.after] = tuple(_action(each) for each in entry.do)
    return done


def _check_params(file: ScenarioFile, entry: CallerEntry, location: Location, problem: Problem) -> None:
    wires = file.wires if isinstance(file.wires, list) else ()
    for index, action in enumerate(entry.do):
        if isinstance(action, ActionEntry) and action.set_params and len(wires) != 1:
            where = (*location, "do", index, "set_params")
            remedy = "add 'wires: [...]' with the wire that has these names"
            problem(where, "fields of one wire, since every provider has other names", "several wires", remedy)


def _action(entry: str | ActionEntry) -> CallerAction:
    if not isinstance(entry, ActionEntry):
        return GenerateToolResponse()
    if entry.push_messages is not None:
        return PushMessages(tuple(map(_piece, entry.push_messages)))
    if entry.set_messages is not None:
        return SetMessages(tuple(map(_piece, entry.set_messages)))
    if entry.set_params is not None:
        return SetParams(entry.set_params)
    assert entry.edit_tool_response is not None  # noqa: S101 - ActionEntry has exactly one key
    return EditToolResponse(entry.edit_tool_response.old, entry.edit_tool_response.new)


def _piece(entry: str | MessageEntry) -> Piece:
    match entry:
        case MessageEntry(turn=EditEntry(old=old, new=new)):
            return EditedTurn(old, new)
        case MessageEntry(system=str(text)):
            return "system", text
        case MessageEntry(user=str(text)):
            return "user", text
        case MessageEntry(assistant=str(text)):
            return "assistant", text
        case "turn" | "response" | "history":
            return entry
    raise AssertionError(f"no message: {entry!r}")
