"""The second judge, for what the first has not found: tests, stopped at the first failure."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from harness_lab.mutation.judging import Done

_BELOW = (
    "openai",
    "anthropic",
    "google.genai",
    "httpx2",
    "PIL.Image",
    "pydantic",
    "jsonschema",
    "hypothesis",
    "pytest",
)
_AS_THEY_ARE = ("--assert", "plain")
"""pytest rewrites the assertions of plugins, and the harness is one: it would import its modules without the mutant."""


class Tests:
    """Items are files and folders of tests."""

    def __init__(self, root: Path, paths: Sequence[str]) -> None:
        self._root = root
        self._paths = paths
        self.command = f"pytest {' '.join(paths)}"

    def preload(self) -> None:
        """Import the libraries, and nothing of the harness."""
        for name in _BELOW:
            import_module(name)

    def items(self) -> Sequence[str]:
        """The paths."""
        return self._paths

    def chosen(self, items: Sequence[str], module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """All of them."""
        return items

    def about(self, module: str) -> Sequence[str]:  # noqa: ARG002 - the same for all modules
        """All of them."""
        return self.items()

    def run(self, items: Sequence[str], done: Done) -> None:
        """Run the tests in this process, with the ``sys.path`` that they expect."""
        import pytest

        os.chdir(self._root)
        for item in items:
            code = pytest.main(["-x", "-q", *_AS_THEY_ARE, "-p", "no:cacheprovider", "-p", "no:xdist", item])
            done(item, ("finding", f"pytest ended with {int(code)}") if code else None)
