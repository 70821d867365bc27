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

_GENERATE_IMAGES = ToolDeclaration(
    name="generate_images",
    description=(
        "Make images, one for each prompt, and get their URLs for use in the page. Ask for all images that the page "
        "needs in one call. An image that could not be made has null in place of its URL."
    ),
    parameters={
        "type": "object",
        "properties": {
            "prompts": {
                "type": "array",
                "description": "What to show, one image each.",
                "items": {"type": "string", "description": "What one image shows."},
            },
        },
        "required": ["prompts"],
        "additionalProperties": False,
    },
)

_REMOVE_BACKGROUND = ToolDeclaration(
    name="remove_background",
    description=(
        "Make copies of images with a transparent background, and get the URLs of the copies for use in the page. "
        "The images stay as they are. Several images may be given in one call."
    ),
    parameters={
        "type": "object",
        "properties": {
            "image_urls": {
                "type": "array",
                "description": "The images, for example URLs that generate_images gave.",
                "items": {"type": "string", "description": "The URL of one image."},
            },
        },
        "required": ["image_urls"],
        "additionalProperties": False,
    },
)

_RETRIEVE_OPTION = ToolDeclaration(
    name="retrieve_option",
    description=(
        "Read the whole HTML of one of the options that the user was shown, to refer to it or to take it over. "
        "Reading does not change the page; call create_file for that."
    ),
    parameters={
        "type": "object",
        "properties": {
            "option_number": {"type": "integer", "description": "The option's number; the first is option 1."},
        },
        "required": ["option_number"],
        "additionalProperties": False,
    },
)

CANONICAL: Mapping[str, ToolDeclaration] = {
    tool.name: tool for tool in (_CREATE_FILE, _EDIT_FILE, _GENERATE_IMAGES, _REMOVE_BACKGROUND, _RETRIEVE_OPTION)
}
"""The canonical tools by name."""
