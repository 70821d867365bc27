"""Words that ``values.yaml`` needs besides."""

from __future__ import annotations

import json
from typing import Any

from harness.wire import Call, ToolDeclaration, Turn
from harness_lab.mutants.traces.plain import PlainRun, says

_SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "days": {"type": "integer", "default": 3},
        "share": {"type": "number"},
        "exact": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "area": {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "number"}}},
        "list": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}}}},
    },
}


_CHART = (ToolDeclaration("chart", "A chart.", _SCHEMA), ToolDeclaration("other", "Another.", _SCHEMA))


def charts(wrote: Any, received: Any, **members: Any) -> PlainRun:
    """A tool is called with arguments, and gets others."""
    text = wrote if isinstance(wrote, str) else json.dumps(wrote)
    return PlainRun(
        (Turn((Call("chart", text, "call_1"),)), says("Yes.")),
        tools=_CHART,
        case={"inputs": {"call_1": received}, **members},
    )
