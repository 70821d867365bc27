"""What many runs have come to: trends of verdicts, of rules that were broken, of the time that it took.

model     the runs, as plain facts; ``to_json`` is what ``--format json`` prints
reading   a folder of results folders becomes a history
telling   a history on a terminal and in Markdown
html      a history as a page
"""

from harness.report.history.model import History, PastRun
from harness.report.history.reading import read_history

__all__ = ["History", "PastRun", "read_history"]
