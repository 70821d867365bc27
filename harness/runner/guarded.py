"""Guards sources: if one raises or returns something that is no answer, its case ends as an error.

Without the guard an exception would break the loop's connection, and a loop that ignores that could pass.
"""

from __future__ import annotations

import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from harness.endpoint import (
    LiveResponse,
    ModelRequest,
    RecordedResponse,
    ScriptSource,
    Source,
    SourceResponse,
    Unknown,
)
from harness.errors import BadInput, Breakdown
from harness.runner.sources import Opened, Sources
from harness.scenario import HttpErrorStep, Scenario, TurnStep
from harness.trace import Case

_ANSWERS = (TurnStep, HttpErrorStep, RecordedResponse, LiveResponse, Unknown, type(None))


@asynccontextmanager
async def opened_source(sources: Sources, case: Case, scenario: Scenario) -> AsyncIterator[Opened]:
    """The answers of a case while it runs, as ``sources.opened`` yields them.

    Raises ``BadInput`` and ``Breakdown`` like ``sources.opened``, and at the end if the source raised or returned
    something that is no answer. The loop got HTTP 500 for that.
    """
    problems: list[BadInput | Breakdown] = []
    async with sources.opened(case, scenario) as opened:
        yield replace(opened, source=lambda: _Guarded(opened.source, f"--source {sources.name}: {case.id}", problems))
    if problems:
        raise problems[0]


class _Guarded:
    """A source that does not raise: it notes failures in ``problems``, in lines that begin with ``name``."""

    def __init__(self, make: Callable[[], Source], name: str, problems: list[BadInput | Breakdown]) -> None:
        self._name = name
        self._problems = problems
        try:
            self._source = make()
        except (BadInput, Breakdown):
            raise
        except Exception as error:
            raise BadInput(self._error_text(error)) from error

    def next(self, question: ModelRequest) -> SourceResponse | None:
        """The answer of the source; HTTP 500 if the source fails."""
        try:
            answer: object = self._source.next(question)
        except Breakdown as error:
            self._problems.append(error)
            return HttpErrorStep(500)
        except Exception as error:  # noqa: BLE001 - of a package that is not ours
            self._problems.append(BadInput(self._error_text(error)))
            return HttpErrorStep(500)
        if isinstance(answer, _ANSWERS):
            return answer
        expected = "expected a TurnStep or another answer of harness.api"
        self._problems.append(BadInput(f"{self._name}: {expected}, got {type(answer).__name__}"))
        return HttpErrorStep(500)

    @property
    def repeats(self) -> bool:
        """Whether the source, opened anew, gives the same answers to the same requests (``Source``)."""
        return bool(getattr(self._source, "repeats", False))

    @property
    def script(self) -> ScriptSource | None:
        """The script, if the source is one (``ScriptSource.script``)."""
        found = getattr(self._source, "script", None)
        return found if isinstance(found, ScriptSource) else None

    def left(self) -> Sequence[str]:
        """The recordings that the source has left."""
        return self._source.left()

    def _error_text(self, error: Exception) -> str:
        (frame,) = traceback.extract_tb(error.__traceback__)[-1:]
        return f"{self._name}: {type(error).__name__}: {error} ({frame.filename}:{frame.lineno})"
