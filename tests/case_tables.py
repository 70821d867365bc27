"""Tables of cases as YAML files: each is called as its test module, and has one table for each test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml


def from_table(module: str, test: str) -> pytest.MarkDecorator:
    """Parametrize a test with the rows of its table. ``module`` is the file of the test, ``test`` its name."""
    names = _table(module, test)["arguments"]
    return pytest.mark.parametrize(
        names, [tuple(row) if isinstance(names, list) else row for row in rows(module, test)]
    )


def rows(module: str, test: str) -> list[Any]:
    """The rows of the table of a test."""
    found: list[Any] = _table(module, test)["rows"]
    return found


def _table(module: str, test: str) -> Any:
    return yaml.safe_load(Path(module).with_suffix(".yaml").read_text(encoding="utf-8"))[test]
