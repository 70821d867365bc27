"""Runs that were written down for the sentences of rules: the proofs beside the checks, and the files of this folder.

What happens in them is written in words, which are the functions of the modules beside the files.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from types import FunctionType, ModuleType
from typing import Any, Final

from harness.rules import RULES
from harness.rules.model import PROOFS
from harness_lab.mutants.traces import conversations, edits
from harness_lab.mutants.traces.small_run import SmallRun
from harness_lab.mutants.traces.small_runs.files import read_proof, read_small_runs

__all__ = ["EVERY"]

_FOLDER: Final = Path(__file__).parent
_BESIDE: Final = [
    import_module(f"{__name__}.{each.name}") for each in iter_modules([str(_FOLDER)]) if each.name != "files"
]


def words_of(*modules: ModuleType) -> dict[str, Callable[..., Any]]:
    """The words that files may use of these modules: their functions."""
    return {
        name: each
        for module in modules
        for name, each in vars(module).items()
        if isinstance(each, FunctionType) and not name.startswith("_")
        if each.__module__ in (module.__name__, conversations.__name__)
    }


WORDS: Final = words_of(conversations, edits, *_BESIDE)
"""What a file may name."""

EVERY: Final[tuple[SmallRun, ...]] = (
    *(each for rule in RULES if rule in PROOFS for each in read_proof(rule, PROOFS[rule], WORDS)),
    *(each for path in sorted(_FOLDER.glob("*.yaml")) for each in read_small_runs(path, WORDS)),
)
"""All of them."""
