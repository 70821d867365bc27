"""What many runs have come to: trends of verdicts, of rules that were broken, of the time that it took.

model      the runs, as plain facts; ``to_json`` is what ``--format json`` prints
reader     a folder of results folders becomes a history
rendering  a history on a terminal and in Markdown
html       a history as a page
"""

from harness.report.history.model import PastRun, RunHistory
from harness.report.history.reader import read_history

__all__ = ["PastRun", "RunHistory", "read_history"]
