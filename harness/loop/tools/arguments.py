"""The arguments of a call: from the text that the model wrote to values that a tool can trust.

A tool runs on the finished text, parsed strictly. Nothing is repaired, because a repaired argument is a guess:
one real loop let an SDK complete a truncated ``new_text`` and deleted the user's text with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PureWindowsPath
from typing import Any

from harness.loop.tools.tool import Arguments, ToolError
from harness.trace import JsonValue
from harness.wire.characters import sendable_value
from harness.wire.json_text import strict

DEFAULT_PATH = "index.html"


def parse_arguments(text: str) -> dict[str, JsonValue]:
    """The arguments as an object. An empty text is an empty object, because calls without arguments are sent so.

    The last value of a repeated key counts. Halves of surrogate pairs are joined and lone ones become U+FFFD, since
    no socket can send them. Raises ``ToolError`` for anything that is not a JSON object (NaN and Infinity are no
    JSON).
    """
    if not text.strip():
        return {}
    try:
        arguments = strict(text)
    except (ValueError, RecursionError) as error:
        raise ToolError(f"Tool arguments were invalid JSON: {error}", "Invalid JSON tool arguments") from error
    if not isinstance(arguments, dict):
        raise ToolError("Tool arguments must be a JSON object", "Tool arguments are not an object")
    whole: dict[str, JsonValue] = sendable_value(arguments)
    return whole


def check_arguments(arguments: Arguments, schema: Mapping[str, Any]) -> None:
    """Raise ``ToolError`` if parsed arguments do not fit the JSON Schema of a tool."""
    from harness.scenario.arguments import argument_problems, validator  # a loop on a page needs no jsonschema

    wrong = argument_problems(arguments, validator(schema))
    if found := "; ".join(each.words for each in wrong):
        raise ToolError(f"Tool arguments break the schema: {found}", "Tool arguments break the schema")


def file_path(arguments: Arguments, default: str) -> str:
    """The file that a call names; ``default`` if it names none. Raises ``ToolError`` for a file outside the project.

    Both slashes are separators, because they are on some machines on which the page will be saved.
    """
    path = arguments.get("path")
    if path is None or path == "":
        return default
    if not isinstance(path, str):
        raise ToolError("path must be a string", "Invalid path")
    parts = PureWindowsPath(path)
    if parts.drive or parts.root or ".." in parts.parts or not parts.name or not path.isprintable():
        raise ToolError("path must be a relative path to a file inside the project", "Invalid path")
    return path
