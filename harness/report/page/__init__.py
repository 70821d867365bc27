"""The page of a run: one HTML file that works from a disk and without a network, in light and dark.

``page`` writes it, ``trace_script`` writes the file beside every trace that loads it into the page.
"""

from harness.report.page.assembly import page
from harness.report.page.packing import trace_script
from harness.report.page.shown import Against, Past, RuleCount, ShownRun, shown_run, trace_of

__all__ = ["Against", "Past", "RuleCount", "ShownRun", "page", "shown_run", "trace_of", "trace_script"]
