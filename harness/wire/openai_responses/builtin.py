"""How a stream sends items of built-in kinds: how they begin, and what comes before they are done.

Recorded for calls of web and file search, code interpreter, image generation, MCP, hosted shell, apply_patch, tool
search, programs and compaction. An item of an unknown kind begins as it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from harness.wire.base import Json
from harness.wire.lenient import entries, objects, string
from harness.wire.openai_responses.items import kind_of


@dataclass(frozen=True, slots=True)
class Moment:
    """An event, or a series of deltas of ``text``, between an item's ``added`` and its ``done``.

    ``unnamed``: the event has no ``item_id``.
    """

    event: str
    members: Json = field(default_factory=dict)
    text: str | None = None
    unnamed: bool = False


_AT_FIRST: Final[Mapping[str, Json]] = {
    "code_interpreter_call": {"code": "", "outputs": None},
    "file_search_call": {"queries": [], "results": None},
    "image_generation_call": {"result": None},
    "mcp_call": {"arguments": "", "output": None, "error": None},
    "mcp_list_tools": {"tools": []},
    "program": {"code": ""},
    "program_output": {"result": ""},
    "shell_call_output": {"output": []},
    "tool_search_call": {"arguments": {}},
}
"""Members whose value at the beginning of an item differs from the value at its end."""

_WHOLE_AT_FIRST: Final = frozenset({"program_output", "shell_call_output"})
"""Kinds of items that have their final status from the beginning."""


def as_begun(item: Json) -> Json:
    """An item as ``output_item.added`` shows it."""
    kind = kind_of(item)
    begun = {**item, **{name: value for name, value in _AT_FIRST.get(kind, {}).items() if name in item}}
    if "status" in item and kind not in _WHOLE_AT_FIRST:
        begun["status"] = "in_progress"
    if kind == "web_search_call":
        begun.pop("action", None)
    elif kind == "shell_call":
        begun["action"] = {**_object(item, "action"), "commands": []}
    elif kind == "local_shell_call":
        begun["action"] = {**_object(item, "action"), "command": []}
    elif kind == "apply_patch_call" and "diff" in _object(item, "operation"):
        begun["operation"] = {**item["operation"], "diff": ""}
    return begun


def moments(item: Json) -> Iterator[Moment]:
    """What a stream sends about an item between its beginning and its end."""
    kind = kind_of(item)
    for step in _STEPS.get(kind, ()):
        yield Moment(f"response.{kind}.{step}")
    if kind in _SPOKEN:
        yield from _SPOKEN[kind](item)


_STEPS: Final[Mapping[str, tuple[str, ...]]] = {
    "file_search_call": ("in_progress", "searching", "completed"),
    "image_generation_call": ("in_progress", "generating", "completed"),
    "mcp_list_tools": ("in_progress", "completed"),
    "web_search_call": ("in_progress", "searching", "completed"),
}
"""Events that only report progress of an item."""


def _code(item: Json) -> Iterator[Moment]:
    stem, code = "response.code_interpreter_call", string(item.get("code"))
    yield Moment(f"{stem}.in_progress")
    yield Moment(f"{stem}_code.delta", text=code)
    yield Moment(f"{stem}_code.done", {"code": code})
    yield Moment(f"{stem}.interpreting")
    yield Moment(f"{stem}.completed")


def _mcp_call(item: Json) -> Iterator[Moment]:
    stem, arguments = "response.mcp_call", string(item.get("arguments"))
    yield Moment(f"{stem}.in_progress")
    yield Moment(f"{stem}_arguments.delta", text=arguments)
    yield Moment(f"{stem}_arguments.done", {"arguments": arguments})
    yield Moment(f"{stem}.failed" if item.get("error") else f"{stem}.completed")


def _commands(item: Json) -> Iterator[Moment]:
    stem = "response.shell_call_command"
    for number, command in enumerate(entries(_object(item, "action").get("commands"))):
        at = {"command_index": number}
        yield Moment(f"{stem}.added", {"command": "", **at}, unnamed=True)
        yield Moment(f"{stem}.delta", at, text=string(command), unnamed=True)
        yield Moment(f"{stem}.done", {"command": command, **at}, unnamed=True)


def _output_moments(item: Json) -> Iterator[Moment]:
    stem = "response.shell_call_output_content"
    for number, output in enumerate(objects(item.get("output"))):
        printed = {name: output[name] for name in ("stdout", "stderr") if output.get(name)}
        at = {"command_index": number}
        yield Moment(f"{stem}.delta", {**at, "delta": printed})
        yield Moment(f"{stem}.done", {**at, "output": [output]})


def _patch(item: Json) -> Iterator[Moment]:
    operation = _object(item, "operation")
    if "diff" in operation:
        stem, diff = "response.apply_patch_call_operation_diff", string(operation["diff"])
        yield Moment(f"{stem}.delta", text=diff)
        yield Moment(f"{stem}.done", {"diff": diff})


_SPOKEN: Final[Mapping[str, Callable[[Json], Iterator[Moment]]]] = {
    "apply_patch_call": _patch,
    "code_interpreter_call": _code,
    "mcp_call": _mcp_call,
    "shell_call": _commands,
    "shell_call_output": _output_moments,
}
"""Kinds of items for which a stream sends more than progress."""


def _object(item: Json, name: str) -> Json:
    value: Any = item.get(name)
    return value if isinstance(value, dict) else {}
