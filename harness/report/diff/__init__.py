"""What changed between two runs, and which of it is a regression.

model        the comparison, as plain facts; ``to_json`` is what ``--format json`` prints
comparing    two results folders become one; kinds, findings, traces and requests each compare one thing
summarizing  the comparison in the order in which a person reads it, for terminal, markdown and page
"""

from harness.report.diff.comparing import compare, read_run
from harness.report.diff.model import CaseChange, Comparison

__all__ = ["CaseChange", "Comparison", "compare", "read_run"]
