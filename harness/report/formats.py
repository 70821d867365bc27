"""The formats in which ``harness report`` writes a run: the built-in ones, and those of other packages.

A package adds a format by an entry point ``harness.reports`` with its name (``docs/add-a-report-format.md``). The code
of a built-in format is imported when a run is rendered: the command line needs the names only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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


def _html(result: RunResult, run: Path) -> str:
    from harness.report.page import page, shown_run

    return page([shown_run(result, run)])


def _terminal(result: RunResult, run: Path) -> str:
    import io

    from harness.report.terminal import Terminal

    Terminal(text := io.StringIO()).summary(result, run)
    return text.getvalue()


def _json(result: RunResult, _: Path) -> str:
    from harness.report.files import results_json

    return results_json(result)


def _junit(result: RunResult, _: Path) -> str:
    from harness.report.junit import junit

    return junit(result)


def _markdown(result: RunResult, _: Path) -> str:
    from harness.report.markdown import markdown

    return markdown(result)


def _sarif(result: RunResult, _: Path) -> str:
    from harness.report.sarif import sarif

    return sarif(result)


def _github(result: RunResult, _: Path) -> str:
    from harness.report.annotations import workflow_commands

    return workflow_commands(result)


def _otlp(result: RunResult, run: Path) -> str:
    from harness.report.otlp import otlp

    return otlp(result, run)


BUILT_IN: Final[Mapping[str, ReportFormat]] = {
    "html": ReportFormat("a page with cases, findings and traces", _html),
    "terminal": ReportFormat("the causes as 'harness run' prints them", _terminal),
    "json": ReportFormat("results.json", _json),
    "junit": ReportFormat("JUnit XML", _junit),
    "markdown": ReportFormat("a summary for GitHub", _markdown),
    "sarif": ReportFormat("SARIF 2.1.0 for code scanning", _sarif),
    "otlp": ReportFormat("spans for a viewer of OpenTelemetry, a case a line", _otlp),
    "github": ReportFormat("annotations for the log of a GitHub job", _github),
}
"""The built-in formats by their names."""


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
        return BUILT_IN[name].render(result, run)
    plugin = plugins("harness.reports")[name]
    text: object = call(plugin, load_as(plugin, ReportFormat).render, result, run)
    if not isinstance(text, str):
        raise BadInput(f"{plugin.place}: expected text, got {type(text).__name__}")
    return text
