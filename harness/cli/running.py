"""The cases of ``harness run`` as they are run: each verdict reaches the journal before anybody sees it.

Whatever ends the run early, what was finished is kept: Ctrl-C and signals, ``--fail-fast``, a disk that is full, an
error of the harness itself.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from harness.baseline.holding import marked
from harness.baseline.model import BaselineEntry
from harness.errors import Breakdown, HarnessError, unwrapped
from harness.ground.disk import problem, put
from harness.report.files import RunFolder
from harness.report.journal import Journal
from harness.report.terminal import Terminal
from harness.runner.executor import Executor
from harness.runner.plan import PlannedCase
from harness.runner.redacting import gated
from harness.runner.results import CaseResult

ERROR_FILE: Final = "error.txt"
"""In the folder of a run, the traceback of an error of the harness itself."""


class _Stop(KeyboardInterrupt):
    """Ends the run now, although nobody has interrupted it. Executors end it as they do at Ctrl-C."""


@dataclass(slots=True)
class RunInProgress:
    """The part of a run that has ended. ``finished`` has the results by case id, including results of a resumed run.

    ``failure`` is the error that ends the run; ``stopping`` is true once executors have been asked to end it.
    """

    journal: Journal
    terminal: Terminal
    entries: Sequence[BaselineEntry]
    fail_fast: bool
    finished: dict[str, CaseResult] = field(default_factory=dict)
    failure: Exception | None = None
    stopping: bool = False

    def run(self, executor: Executor[PlannedCase, CaseResult], planned: Sequence[PlannedCase]) -> None:
        """Run the cases until all have ended, or the run ends early. Errors are kept in ``failure`` and not raised."""
        try:
            executor.run(planned, self._note_result)
        except KeyboardInterrupt:  # of the user, or ours
            pass
        except Exception as error:  # noqa: BLE001 - what was finished is reported first
            self._fail(error)

    def attempted(self, work: Callable[[], object]) -> None:
        """Call ``work``, which may fail to write to the disk. Only the first failure of a run is reported."""
        try:
            work()
        except Exception as error:  # noqa: BLE001 - reported when everything that can be written is
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        self.failure = self.failure or cause_of(error)

    def _note_result(self, result: CaseResult) -> None:
        """A case has ended. Executors report results that are there even when the run is about to end."""
        known = self.finished[result.id] = marked(result, self.entries)
        if self.failure is None:
            self.attempted(lambda: self.journal.append(known))
        if self.failure is None:
            self.attempted(lambda: self.terminal.finished(known))
        if self.failure is not None:
            self._stop("by an error")
        if self.fail_fast and known.verdict in ("fail", "error"):
            self._stop(f"after {result.id} (--fail-fast)")

    def _stop(self, why: str) -> None:
        if not self.stopping:
            self.stopping = True
            self.terminal.stopped(why)
            raise _Stop


def cause_of(error: Exception) -> Exception:
    """The error to report. An error of the operating system becomes words."""
    error = unwrapped(error)
    if isinstance(error, OSError):
        return problem(error, str(error.filename or "the run cannot go on"))
    return error


def noted(error: Exception, folder: RunFolder) -> HarnessError:
    """The error in words. The traceback of an error of the harness itself goes to a file of the run."""
    if isinstance(error, HarnessError):
        return error
    what = f"an error of the harness itself: {type(error).__name__}: {error}".splitlines()[0]
    file = folder.path / ERROR_FILE
    try:
        put(file, gated("".join(traceback.format_exception(error))).encode(errors="backslashreplace"))
    except HarnessError:
        return Breakdown(what)
    return Breakdown(f"{what}; {file} has the traceback, please report it")
