"""The parts of ``harness serve``: scenarios with separate addresses, the user's program, and the results.

``offers`` determines what is served and opens it, ``activity`` counts the requests, ``program`` starts and ends the
program that asks, ``outcome`` judges the requests as case results (imported separately: only the end needs it).
"""

from harness.runner.serving.activity import Activity
from harness.runner.serving.automatic import AUTOMATIC, behaviour_of
from harness.runner.serving.offers import Offer, Opening, Served, offers
from harness.runner.serving.program import Program, in_terminal

__all__ = ["AUTOMATIC", "Activity", "Offer", "Opening", "Program", "Served", "behaviour_of", "in_terminal", "offers"]
