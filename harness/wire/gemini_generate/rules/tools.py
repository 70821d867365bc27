"""Rules on function declarations and on the choice among them: GEM-19 and GEM-TOOL."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from harness.wire.gemini_generate.rules.request import Found, Request, brief
from harness.wire.gemini_generate.rules.table import GEM_19, GEM_TOOL
from harness.wire.lenient import entries, string

__all__ = ["functions_chosen", "tools_declared"]

_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.:-]*")
_LONGEST_NAME: Final = 128
_MOST_FUNCTIONS: Final = 512
_CHOOSING: Final = ("ANY", "VALIDATED")


def tools_declared(request: Request) -> Found:
    """GEM-TOOL: tools declare something, and functions are named and described as the API reads them."""
    for index, tool in enumerate(request.tools):
        if all(value is None or value == [] for value in tool.values()):
            yield GEM_TOOL.broken(f"tools[{index}]", saying="empty", expected="a declaration", got="none")
    yield from _names(request)
    for at, function in request.functions:
        if function.get("parameters") is not None and function.get("parametersJsonSchema") is not None:
            yield GEM_TOOL.broken(at, saying="both", expected="parameters or parametersJsonSchema", got="both")
    if len(request.functions) > _MOST_FUNCTIONS:
        expected, got = f"at most {_MOST_FUNCTIONS} functions", str(len(request.functions))
        yield GEM_TOOL.broken("tools[0]", saying="many", expected=expected, got=got, most=_MOST_FUNCTIONS)


def _names(request: Request) -> Found:
    names = [string(function.get("name")) for _, function in request.functions]
    for (at, _), name in zip(request.functions, names, strict=True):
        valid = _NAME.fullmatch(name) is not None
        if not valid or len(name) > _LONGEST_NAME:
            expected = "letters, digits and _ . : - behind a letter or underscore" if not valid else "a shorter name"
            yield GEM_TOOL.broken(
                at, expected=expected, got=brief(name), longest=_LONGEST_NAME, level="L" if valid else None
            )
    for name, count in Counter(names).items():
        if name and count > 1:
            yield GEM_TOOL.broken("tools", saying="duplicate", expected="once", got=f"{count} times", name=brief(name))


def functions_chosen(request: Request) -> Found:
    """GEM-19: only declared functions are chosen from, and only in a mode that chooses."""
    at = "tool_config.function_calling_config"
    declared = {string(function.get("name")) for _, function in request.functions}
    if request.calling and not declared:
        yield GEM_19.broken(at, saying="alone", expected="declared functions, or no config", got="no functions")
        return
    allowed, mode = entries(request.calling.get("allowedFunctionNames")), request.calling.get("mode")
    if allowed and isinstance(mode, str | None) and str(mode or "AUTO").upper() not in _CHOOSING:
        yield GEM_19.broken(at, saying="mode", expected=" or ".join(_CHOOSING), got=brief(mode or "no mode"))
    for name in allowed:
        if name not in declared:
            expected = brief(", ".join(sorted(declared)))
            yield GEM_19.broken(f"{at}.allowed_function_names", expected=expected, got=brief(name))
