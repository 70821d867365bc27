"""Runs that were written down for the sentences of rules, by what they are about: the files of this folder.

What happens in them is written in words, which are the functions of the modules beside the files.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, Final

from harness_lab.mutants.traces import conversations, edits
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs import (
    acting,
    agui,
    changes,
    edges,
    in_order,
    in_series,
    limits,
    matched,
    results,
    schemas,
    seconds,
    sent,
    shortcuts,
    shown,
    sockets,
    switches,
    turns,
    values,
    whole,
)
from harness_lab.mutants.traces.small_runs.files import read_small_runs

__all__ = ["EVERY"]

_MODULES: Final = (
    *(acting, agui, changes, conversations, edges, edits, in_order, in_series, limits, matched, results),
    *(schemas, seconds, sent, shortcuts, shown, sockets, switches, turns, values, whole),
)
FILES: Final = (
    *("schemas", "reported", "totals", "sent", "values", "ended", "limits", "returned", "shown", "cancelled"),
    *("user_messages", "several_acts", "switches", "sockets", "agui", "edges", "matched", "declarations", "whole"),
    *("seconds", "turns", "in_order", "last_turns", "in_series", "results", "shortcuts"),
)

WORDS: Final[dict[str, Callable[..., Any]]] = {
    name: each
    for module in _MODULES
    for name, each in vars(module).items()
    if isinstance(each, FunctionType) and not name.startswith("_")
    if each.__module__ in (module.__name__, conversations.__name__)
}
"""What a file may name: the functions of these modules."""

EVERY: Final[tuple[SmallRun, ...]] = tuple(
    small_run for name in FILES for small_run in read_small_runs(Path(__file__).with_name(f"{name}.yaml"), WORDS)
)
"""All of them."""
