"""The command line. ``main`` is the entry point; each command's work is in a module that is imported when it runs."""

from harness.cli.main import main

__all__ = ["main"]
