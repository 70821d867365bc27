"""Declarations of tools broken on purpose, and choices that cannot be made."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.posted import Posted
from harness_lab.mutants.requests.openai_chat.base_requests import (
    CHOICE,
    FOREIGN,
    ONE_CALL,
    SPOKEN,
    STRICT,
    TURNS,
    TWO_CALLS,
)
from harness_lab.mutants.requests.openai_chat.making import mutant
from harness_lab.mutants.requests.openai_chat.places import calls, functions, is_strict

_PATH: Final = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


def _in_a_tool(posted: Posted, change: Callable[[Json], object]) -> bool:
    """The first function of a request that OpenAI's own server would read, changed."""
    tools = [tool for tool in posted.body.get("tools") or () if tool.get("type") == "function" and "function" in tool]
    if tools and is_strict(posted):
        change(tools[0])
        return True
    return False


def _parameters(posted: Posted, schema: Json) -> bool:
    return _in_a_tool(posted, lambda tool: tool["function"].update(strict=True, parameters=deepcopy(schema)))


def leave_it_open(posted: Posted) -> bool:
    """A strict tool takes other properties, too."""
    return _parameters(posted, _PATH)


def leave_inside_open(posted: Posted) -> bool:
    """A strict tool is closed itself, an object in it is not."""
    inner = {"type": "object", "properties": {"at": _PATH}, "required": ["at"], "additionalProperties": False}
    return _parameters(posted, inner)


def leave_optional(posted: Posted) -> bool:
    """A strict tool has a property that is not required."""
    return _parameters(posted, {**_PATH, "required": [], "additionalProperties": False})


def _answer(posted: Posted, schema: Json) -> bool:
    wanted = {"name": "answer", "strict": True, "schema": deepcopy(schema)}
    posted.body.update(response_format={"type": "json_schema", "json_schema": wanted})
    return True


def leave_the_answer_open(posted: Posted) -> bool:
    """A strict answer may have other properties, too."""
    return is_strict(posted) and _answer(posted, _PATH)


def leave_the_answer_optional(posted: Posted) -> bool:
    """A strict answer has a property that is not required."""
    return is_strict(posted) and _answer(posted, {**_PATH, "required": [], "additionalProperties": False})


def forget_properties(posted: Posted) -> bool:
    """The parameters are an object of which nothing is said."""
    return _in_a_tool(posted, lambda tool: tool["function"].update(parameters={"type": "object"}))


def take_a_list(posted: Posted) -> bool:
    """The parameters are a list."""
    schema = {"type": "array", "items": {"type": "string"}}
    return _in_a_tool(posted, lambda tool: tool["function"].update(parameters=schema))


def drop_the_type(posted: Posted) -> bool:
    """A tool does not say its type."""
    return _in_a_tool(posted, lambda tool: tool.pop("type"))


def flatten_a_tool(posted: Posted) -> bool:
    """A tool is declared as the Responses API wants it, without a function around it."""
    return _in_a_tool(posted, lambda tool: tool.update(tool.pop("function")))


def drop_the_name(posted: Posted) -> bool:
    """A tool has no name."""
    return _in_a_tool(posted, lambda tool: tool["function"].pop("name", None))


def _choose(posted: Posted, choice: Any) -> bool:
    if not posted.body.get("tools") or not is_strict(posted):
        return False
    posted.body["tool_choice"] = choice
    return True


def choose_any(posted: Posted) -> bool:
    """The choice is in the words of another provider."""
    return _choose(posted, "any")


def choose_an_unknown_tool(posted: Posted) -> bool:
    """The choice is a tool that is not declared."""
    return _choose(posted, {"type": "function", "function": {"name": "delete_everything"}})


def _without_tools(posted: Posted, **members: Any) -> bool:
    if is_strict(posted):
        posted.body.pop("tools", None)
        posted.body.update(members)
    return is_strict(posted)


def choose_without_tools(posted: Posted) -> bool:
    """The last request takes the tools away and leaves the choice."""
    return _without_tools(posted, tool_choice="none")


def choose_a_tool_without_tools(posted: Posted) -> bool:
    """The last request takes the tools away and leaves the choice of one."""
    return _without_tools(posted, tool_choice={"type": "function", "function": {"name": "read_file"}})


def call_in_parallel_without_tools(posted: Posted) -> bool:
    """Parallel calls are switched off where nothing can be called."""
    return _without_tools(posted, parallel_tool_calls=False)


def declare_too_many(posted: Posted) -> bool:
    """129 tools are declared."""
    function = {"description": "", "parameters": _PATH}
    tools = [{"type": "function", "function": {"name": f"tool_{number}", **function}} for number in range(129)]
    return is_strict(posted) and _with_tools(posted, tools)


def declare_none(posted: Posted) -> bool:
    """An empty list of tools is declared."""
    return is_strict(posted) and _with_tools(posted, [])


def _with_tools(posted: Posted, tools: list[Json]) -> bool:
    posted.body["tools"] = tools
    return True


# --- names ----------------------------------------------------------------------------------------------------


def _renamed(posted: Posted, name: str) -> bool:
    found = list(functions(posted)) if is_strict(posted) else []
    if found:
        found[-1]["name"] = name
    return bool(found)


def join_names(posted: Posted) -> bool:
    """A tool's name has the server's in front of it, with a slash."""
    return _renamed(posted, "files/read_file")


def dot_names(posted: Posted) -> bool:
    """A tool's name has the server's in front of it, with a dot."""
    return _renamed(posted, "files.read_file")


def lengthen_a_name(posted: Posted) -> bool:
    """A tool's name has 65 characters."""
    return _renamed(posted, "x" * 65)


def call_nothing(posted: Posted) -> bool:
    """A call without a name goes back as it came."""
    made = [call for call in calls(posted) if isinstance(call.get("function"), dict)]
    if made and is_strict(posted):
        made[-1]["function"]["name"] = ""
        return True
    return False


MUTANTS: Final = (
    mutant("strict-open", leave_it_open, ("OAC-15",), STRICT, ONE_CALL),
    mutant("strict-open-inside", leave_inside_open, ("OAC-15",), STRICT),
    mutant("strict-incomplete", leave_optional, ("OAC-15",), STRICT),
    mutant("answer-open", leave_the_answer_open, ("OAC-FORMAT",), ONE_CALL, TWO_CALLS),
    mutant("answer-incomplete", leave_the_answer_optional, ("OAC-FORMAT",), ONE_CALL),
    mutant("parameters-unsaid", forget_properties, ("OAC-15",), ONE_CALL),
    mutant("parameters-list", take_a_list, ("OAC-15",), ONE_CALL),
    mutant("tool-untyped", drop_the_type, ("OAC-15",), ONE_CALL, TWO_CALLS),
    mutant("tool-flat", flatten_a_tool, ("OAC-15",), ONE_CALL),
    mutant("tool-unnamed", drop_the_name, ("OAC-15",), ONE_CALL),
    mutant("choice-any", choose_any, ("OAC-15",), CHOICE, ONE_CALL),
    mutant("choice-undeclared", choose_an_unknown_tool, ("OAC-15",), CHOICE, ONE_CALL),
    mutant("choice-without-tools", choose_without_tools, ("OAC-15",), CHOICE, SPOKEN),
    mutant("tool-chosen-without-tools", choose_a_tool_without_tools, ("OAC-15",), SPOKEN),
    mutant("parallel-without-tools", call_in_parallel_without_tools, ("OAC-15",), CHOICE, SPOKEN),
    mutant("tools-too-many", declare_too_many, ("OAC-18",), ONE_CALL),
    mutant("tools-none", declare_none, ("OAC-18",), ONE_CALL),
    mutant("name-with-slash", join_names, ("OAC-NAME",), ONE_CALL, STRICT),
    mutant("name-with-dot", dot_names, ("OAC-NAME",), ONE_CALL),
    mutant("name-long", lengthen_a_name, ("OAC-NAME",), ONE_CALL),
    mutant("call-unnamed", call_nothing, ("OAC-NAME",), FOREIGN, TURNS),
)
