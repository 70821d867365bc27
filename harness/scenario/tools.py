"""The tools that a scenario names without describing them: the loop under test brings them itself.

The schemas stay within what all four providers accept: an object at the top, every property typed and described,
``additionalProperties`` false, no ``oneOf``, no ``default``, no type unions. ``count`` is optional, so a session
that asks OpenAI for ``strict`` (every property required) must make it nullable first.
"""

from __future__ import annotations

from collections.abc import Mapping

from harness.wire import ToolDeclaration

__all__ = ["CANONICAL"]

_CREATE_FILE = ToolDeclaration(
    name="create_file",
    description=(
        "Create the page, or replace it completely. Call this once, with the whole document, before any edit. "
        "For small changes to a page that exists, use edit_file."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The file's name, for example index.html."},
            "content": {"type": "string", "description": "The whole HTML document, <!doctype html> to </html>."},
        },
        "required": ["path", "content"],
        "additionalProperties": False,
    },
)

_EDIT = {
    "type": "object",
    "properties": {
        "old_text": {
            "type": "string",
            "description": "The text to replace, exactly as it stands in the file. It must occur there.",
        },
        "new_text": {"type": "string", "description": "The text to put in its place; empty to delete."},
        "count": {
            "type": "integer",
            "description": "How many occurrences to replace, from the first on. 1 if left out; -1 replaces all.",
        },
    },
    "required": ["old_text", "new_text"],
    "additionalProperties": False,
}

_EDIT_FILE = ToolDeclaration(
    name="edit_file",
    description=(
        "Change the page by replacing exact pieces of text. The edits of one call are made in order, and all of "
        "them or none: if one old_text is not found, the file stays as it was."
    ),
    parameters={
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "The name of the file to change, for example index.html."},
            "edits": {"type": "array", "description": "The replacements, in order.", "items": _EDIT},
        },
        "required": ["path", "edits"],
        "additionalProperties": False,
    },
)

CANONICAL: Mapping[str, ToolDeclaration] = {tool.name: tool for tool in (_CREATE_FILE, _EDIT_FILE)}
"""The canonical tools by name."""
