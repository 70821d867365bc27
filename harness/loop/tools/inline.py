"""Tools that a scenario declares beside its script: they return, or raise, what the scenario says."""

from __future__ import annotations

from harness.loop.tools.tool import Arguments, Implementation, ToolError, ToolOutcome, Workbench
from harness.scenario import Tool

__all__ = ["inline"]


def inline(tool: Tool) -> Implementation:
    """Answer every call with ``tool.returns``, or fail with the message ``tool.raises``.

    The arguments need only be an object: what a loop does with arguments that break the schema is for the
    scenario to try.
    """

    async def run(_bench: Workbench, _arguments: Arguments) -> ToolOutcome:
        if tool.raises is not None:
            raise ToolError(tool.raises, retry=False)
        return ToolOutcome(result=tool.returns, summary=tool.returns)

    return Implementation(run=run, summary=dict)
