"""Tables of cases as YAML files: each is called as its test module, and has one table for each test."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml


def from_table(module: str, test: str, *more: Any) -> pytest.MarkDecorator:
    """Parametrize a test with the rows of its table. ``module`` is the file of the test, ``test`` its name.

    Rows that are a mapping are named by it. ``more`` are rows that are too long to be written down.
    """
    table = value_of(module, test)
    names, rows = table["arguments"], table["rows"]
    named = rows.items() if isinstance(rows, dict) else [(None, row) for row in rows]
    params = [pytest.param(*(row if isinstance(names, list) else [row]), id=name) for name, row in named]
    return pytest.mark.parametrize(names, [*params, *more])


def rows_of(module: str, test: str) -> list[Any]:
    """The rows of the table of a test; a row of several arguments is a tuple."""
    table = value_of(module, test)
    return [tuple(row) for row in table["rows"]] if isinstance(table.get("arguments"), list) else list(table["rows"])


def value_of(module: str, name: str) -> Any:
    """What is written under a name in the YAML file of a module."""
    return _read(Path(module).with_suffix(".yaml"))[name]


@cache
def _read(path: Path) -> dict[str, Any]:
    tables: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return tables
