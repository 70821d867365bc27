"""Implementations of tools that a scenario names without describing them: built in, or from other packages."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, cast

from harness.errors import BadInput
from harness.loop.tools.arguments import check_arguments
from harness.loop.tools.tool import Arguments, Implementation, ToolOutcome, Workbench
from harness.scenario.tools import registered
from harness.trace import JsonValue


def implementation(name: str) -> Implementation:
    """The implementation of the tool. Raises ``BadInput`` if there is no such tool, or it cannot be imported."""
    tool = registered(name)
    run = _imported_object(name, tool.run) if isinstance(tool.run, str) else tool.run
    if isinstance(run, Implementation):
        return run
    if not callable(run):
        raise BadInput(f"the tool {name!r}: expected a function as 'run', got {type(run).__name__}")
    return _of_function(run, tool.declaration.parameters)


def _imported_object(name: str, address: str) -> object:
    module, _, attribute = address.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except Exception as problem:
        raise BadInput(
            f"the tool {name!r}: its function {address!r} cannot be imported: {type(problem).__name__}: {problem}"
        ) from problem


def _of_function(function: Callable[..., object], parameters: Mapping[str, Any]) -> Implementation:
    """A tool that calls ``function`` with arguments that fit ``parameters``. Its result is for model and user.

    A function can return a ``ToolOutcome`` to separate what the model and the user get.
    """

    async def run(_bench: Workbench, arguments: Arguments) -> ToolOutcome:
        check_arguments(arguments, parameters)
        result = function(arguments)
        value = await result if inspect.isawaitable(result) else result
        return value if isinstance(value, ToolOutcome) else ToolOutcome(cast(JsonValue, value), cast(JsonValue, value))

    return Implementation(run=run, summary=dict)
