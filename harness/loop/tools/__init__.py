"""The tools of the reference loop: what they do, and what the model and the user are told of it."""

from harness.loop.tools.images import ImageFailed
from harness.loop.tools.placeholder import PlaceholderImages
from harness.loop.tools.runtime import IMPLEMENTATIONS, ToolRuntime
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
    "IMPLEMENTATIONS",
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
]
