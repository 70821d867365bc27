"""Tables of cases as YAML files: each is called as its test module, and has one table for each test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml


def from_table(module: str, test: str) -> pytest.MarkDecorator:
    """Parametrize a test with the rows of its table. ``module`` is the file of the test, ``test`` its name."""
    names = _table(module, test)["arguments"]
    return pytest.mark.parametrize(names, rows_of(module, test))


def rows_of(module: str, test: str) -> list[Any]:
    """The rows of the table of a test; a row of several arguments is a tuple."""
    table = _table(module, test)
    return [tuple(row) for row in table["rows"]] if isinstance(table.get("arguments"), list) else list(table["rows"])


def _table(module: str, test: str) -> Any:
    return yaml.safe_load(Path(module).with_suffix(".yaml").read_text(encoding="utf-8"))[test]
