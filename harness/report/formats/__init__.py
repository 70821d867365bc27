"""The formats in which ``harness report`` writes a run: the built-in ones, and those of other packages.

A built-in format is a module of this package, with the name of the format. It is imported when a run is rendered: the
command line needs the names only. Another package adds a format by an entry point ``harness.reports`` with its name
(``docs/add-a-report-format.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Final

from harness.errors import BadInput
from harness.plugins import call, load_as, plugins

if TYPE_CHECKING:
    from harness.runner.results import RunResult

Render = Callable[["RunResult", Path], str]
"""Renders a run as text. The path is the folder of the run: ``CaseResult.trace`` is relative to it."""


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """A format for ``harness report --format NAME``; ``summary`` describes it in a few words."""

    summary: str
    render: Render


BUILT_IN: Final = tuple(sorted(module.name for module in iter_modules(__path__)))
"""The names of the built-in formats: those of the modules of this package, each of which has its ``FORMAT``."""


def format_names() -> Sequence[str]:
    """The names of all formats. Nothing of another package is imported.

    Raises ``BadInput`` if a package has a name that is taken.
    """
    added = plugins("harness.reports")
    for name, plugin in added.items():
        if name in BUILT_IN:
            raise BadInput(
                f"{plugin.package}: its report format {name!r} has the name of one of the harness; choose another one"
            )
    return (*BUILT_IN, *added)


def rendered(name: str, result: RunResult, run: Path) -> str:
    """A run in the format with this name, one of ``format_names()``. ``run`` is the folder of the run.

    Raises ``BadInput`` for a format of another package that cannot be loaded or that fails.
    """
    if name in BUILT_IN:
        format: ReportFormat = import_module(f"{__name__}.{name}").FORMAT
        return format.render(result, run)
    plugin = plugins("harness.reports")[name]
    text: object = call(plugin, load_as(plugin, ReportFormat).render, result, run)
    if not isinstance(text, str):
        raise BadInput(f"{plugin.place}: expected text, got {type(text).__name__}")
    return text
