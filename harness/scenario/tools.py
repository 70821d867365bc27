"""The tools that a scenario names without describing them: built in, or from other packages.

Those of other packages are the entry points ``harness.tools`` (``harness/plugins.py``); the name of an entry point is
that of its tool. One is loaded when a scenario first names it.

The schemas of the built-in tools stay within what all four providers accept: an object at the top, every property typed
and described, ``additionalProperties`` false, no ``oneOf``, no ``default``, no type unions. ``count`` is optional, so a
session that asks OpenAI for ``strict`` (every property required) must make it nullable first.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from harness.errors import BadInput
from harness.plugins import Plugin, load_as, plugins
from harness.trace import JsonValue
from harness.wire import ToolDeclaration

GROUP: Final = "harness.tools"
"""The entry points of tools."""

ToolFunction = Callable[[Mapping[str, JsonValue]], JsonValue | Awaitable[JsonValue]]
"""Does a call: from its arguments to the result, which the model and the user get."""


@dataclass(frozen=True, slots=True)
class ScenarioTool:
    """A tool that scenarios offer by its name alone.

    ``declaration`` is what the model reads. ``run`` is the function that does a call, or its address (``module:name``),
    which is imported at the first call. It is given arguments that fit ``declaration.parameters``, and may be async.
    What it raises is the error that the model gets, in the words of a ``harness.loop.tools.ToolError``.
    """

    declaration: ToolDeclaration
    run: ToolFunction | str


def _object(**properties: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """The JSON Schema of an object that has these properties and no others. ``count`` alone may be left out."""
    return {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in properties.items()},
        "required": [name for name in properties if name != "count"],
        "additionalProperties": False,
    }


def _text(description: str) -> dict[str, JsonValue]:
    return {"type": "string", "description": description}


def _array(description: str, items: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    return {"type": "array", "description": description, "items": dict(items)}


_CREATE_FILE = ToolDeclaration(
    name="create_file",
    description=(
        "Create the page, or replace it completely. Call this once, with the whole document, before any edit. "
        "For small changes to a page that exists, use edit_file."
    ),
    parameters=_object(
        path=_text("The file's name, for example index.html."),
        content=_text("The whole HTML document, <!doctype html> to </html>."),
    ),
)

_EDIT = _object(
    old_text=_text("The text to replace, exactly as it stands in the file. It must occur there."),
    new_text=_text("The text to put in its place; empty to delete."),
    count={
        "type": "integer",
        "description": "How many occurrences to replace, from the first on. 1 if left out; -1 replaces all.",
    },
)

_EDIT_FILE = ToolDeclaration(
    name="edit_file",
    description=(
        "Change the page by replacing exact pieces of text. The edits of one call are made in order, and all of "
        "them or none: if one old_text is not found, the file stays as it was."
    ),
    parameters=_object(
        path=_text("The name of the file to change, for example index.html."),
        edits=_array("The replacements, in order.", _EDIT),
    ),
)

_GENERATE_IMAGES = ToolDeclaration(
    name="generate_images",
    description=(
        "Make images, one for each prompt, and get their URLs for use in the page. Ask for all images that the page "
        "needs in one call. An image that could not be made has null in place of its URL."
    ),
    parameters=_object(prompts=_array("What to show, one image each.", _text("What one image shows."))),
)

_REMOVE_BACKGROUND = ToolDeclaration(
    name="remove_background",
    description=(
        "Make copies of images with a transparent background, and get the URLs of the copies for use in the page. "
        "The images stay as they are. Several images may be given in one call."
    ),
    parameters=_object(
        image_urls=_array("The images, for example URLs that generate_images gave.", _text("The URL of one image."))
    ),
)

_RETRIEVE_OPTION = ToolDeclaration(
    name="retrieve_option",
    description=(
        "Read the whole HTML of one of the options that the user was shown, to refer to it or to take it over. "
        "Reading does not change the page; call create_file for that."
    ),
    parameters=_object(option_number={"type": "integer", "description": "The option's number; the first is option 1."}),
)

_BUILT_IN: Final = (
    ScenarioTool(_CREATE_FILE, "harness.loop.tools.create_file:CREATE_FILE"),
    ScenarioTool(_EDIT_FILE, "harness.loop.tools.edit_file:EDIT_FILE"),
    ScenarioTool(_GENERATE_IMAGES, "harness.loop.tools.generate_images:GENERATE_IMAGES"),
    ScenarioTool(_REMOVE_BACKGROUND, "harness.loop.tools.remove_background:REMOVE_BACKGROUND"),
    ScenarioTool(_RETRIEVE_OPTION, "harness.loop.tools.retrieve_option:RETRIEVE_OPTION"),
)
"""Only their declarations are here: what they do is above this layer, and needs an image library."""

_TOOLS: Final = {tool.declaration.name: tool for tool in _BUILT_IN}

CANONICAL: Mapping[str, ToolDeclaration] = {name: tool.declaration for name, tool in _TOOLS.items()}
"""The built-in tools by name. What other packages add is found by ``scenario_tool``."""


def tool_names() -> Sequence[str]:
    """The names of all tools, the built-in ones first. No added tool is loaded."""
    return [*_TOOLS, *(name for name in plugins(GROUP) if name not in _TOOLS)]


def scenario_tool(name: str) -> ScenarioTool | None:
    """The tool with this name; None where neither the harness nor an installed package has it.

    An added tool is loaded now, and registered for the next time. Raises ``BadInput`` where it cannot be loaded, is no
    ``ScenarioTool``, or declares another name than that of its entry point.
    """
    if name not in _TOOLS and (plugin := plugins(GROUP).get(name)) is not None:
        _TOOLS[name] = added_tool(plugin)
    return _TOOLS.get(name)


def registered(name: str) -> ScenarioTool:
    """The tool with this name. Raises ``BadInput`` where there is none, and as ``scenario_tool``."""
    tool = scenario_tool(name)
    if tool is None:
        raise BadInput(f"there is no tool {name!r}; there are {', '.join(tool_names())}")
    return tool


def added_tool(plugin: Plugin) -> ScenarioTool:
    """The tool of an entry point. Raises ``BadInput`` as ``scenario_tool``, and for the name of a built-in tool."""
    tool = load_as(plugin, ScenarioTool)
    if plugin.name in CANONICAL:
        raise BadInput(f"{plugin.place}: the harness has a tool of this name; choose another one")
    if tool.declaration.name != plugin.name:
        raise BadInput(
            f"{plugin.place}: expected a tool with the name of the entry point, got {tool.declaration.name!r}; "
            "give both the same name"
        )
    return tool
