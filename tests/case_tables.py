"""Tables of cases as YAML files: each is called as its test module, and has one table for each test."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml


def from_table(module: str, test: str) -> pytest.MarkDecorator:
    """Parametrize a test with the rows of its table. ``module`` is the file of the test, ``test`` its name."""
    tables = yaml.safe_load(Path(module).with_suffix(".yaml").read_text(encoding="utf-8"))
    names, rows = tables[test]["arguments"], tables[test]["rows"]
    return pytest.mark.parametrize(names, [tuple(row) for row in rows] if isinstance(names, list) else rows)
