"""One entry per cause: what a run has found, with every consequence under the finding that it follows from.

causes(result)      the entries of a run, the worst first (pure; ``results.json`` has the same list)
"""

from harness.report.causes.grouping import causes
from harness.report.causes.model import CATEGORIES, ERROR, Category, Cause, Consequence, Member
from harness.report.causes.titles import CATEGORY_WORDS, counts, statement, title, weighed

__all__ = [
    "CATEGORIES",
    "CATEGORY_WORDS",
    "ERROR",
    "Category",
    "Cause",
    "Consequence",
    "Member",
    "causes",
    "counts",
    "statement",
    "title",
    "weighed",
]
