"""Tools that a scenario declares beside its script: they return, or raise, what the scenario says."""

from __future__ import annotations

from harness.loop.tools.tool import Arguments, Implementation, ToolError, ToolOutcome, Workbench
from harness.scenario import Tool

__all__ = ["inline"]


def inline(tool: Tool) -> Implementation:
    """Answer every call with ``tool.returns``, or fail with the message ``tool.raises``, when the tool may finish."""

    async def run(bench: Workbench, _arguments: Arguments) -> ToolOutcome:
        if tool.finishes_after is not None:
            await bench.ended.wait(tool.finishes_after, tool.declaration.name)
        if tool.raises is not None:
            raise ToolError(tool.raises, retry=False)
        return ToolOutcome(result=tool.returns, summary=tool.returns, extra=tool.extra)

    return Implementation(run=run, summary=dict)
