"""The tools of the reference loop: what they do, and what the model and the user see of it."""

from harness.loop.tools.images import ImageFailed
from harness.loop.tools.placeholder import PlaceholderImages
from harness.loop.tools.registered import implementation
from harness.loop.tools.runtime import ToolRuntime
from harness.loop.tools.tool import (
    Arguments,
    FileState,
    ImageService,
    Implementation,
    ToolError,
    ToolOutcome,
    Workbench,
)

__all__ = [
    "Arguments",
    "FileState",
    "ImageFailed",
    "ImageService",
    "Implementation",
    "PlaceholderImages",
    "ToolError",
    "ToolOutcome",
    "ToolRuntime",
    "Workbench",
    "implementation",
]
