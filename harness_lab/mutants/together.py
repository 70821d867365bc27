"""Mistakes that hide each other: together they are none, or another one than either."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from harness.ground.data_files import read_data

TAKEN_BACK: Mapping[frozenset[str], str] = {
    frozenset(names.split()): why for names, why in read_data(Path(__file__).with_suffix(".yaml"))["pairs"].items()
}
"""The pairs by the names of their mutants, each with the reason why no rule that either names can find it."""
