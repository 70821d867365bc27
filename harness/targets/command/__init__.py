"""A loop in any language: a process that reads a case, or one case after another, and may report what it does.

``given`` is what the process is given, ``surroundings`` its environment, ``process`` its life and its end, ``telling``
what it says on standard output, and ``target`` puts these together.
"""

from harness.targets.command.program import program
from harness.targets.command.target import CommandTarget

__all__ = ["CommandTarget", "program"]
