"""The tools of the reference loop: what they do to the file, and what the user is told of them."""

from harness.loop.tools.runtime import IMPLEMENTATIONS, ToolRuntime
from harness.loop.tools.tool import Arguments, FileState, Implementation, ToolError, ToolOutcome

__all__ = ["IMPLEMENTATIONS", "Arguments", "FileState", "Implementation", "ToolError", "ToolOutcome", "ToolRuntime"]
