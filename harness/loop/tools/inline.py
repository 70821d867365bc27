"""Tools that a scenario declares beside its script: they return, or raise, what the scenario says."""

from __future__ import annotations

from collections.abc import Mapping

from harness.loop.tools.tool import Arguments, Implementation, ToolError, ToolOutcome, Workbench
from harness.scenario import Tool
from harness.scenario.run_values import returned


def inline(tool: Tool) -> Implementation:
    """Answer every call with ``tool.returns``, or fail with the message ``tool.raises``."""

    async def run(_bench: Workbench, arguments: Arguments) -> ToolOutcome:
        if tool.raises is not None:
            raise ToolError(tool.raises, retry=False)
        value = returned(tool, dict(arguments)) if isinstance(arguments, Mapping) else tool.returns
        return ToolOutcome(result=value, summary=value, extra=tool.extra)

    return Implementation(run=run, summary=dict)
