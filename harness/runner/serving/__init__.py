"""What ``harness serve`` consists of: scenarios at an address of their own, somebody's program, what came of it.

``offers`` says what is served and opens it, ``activity`` counts the requests, ``program`` starts and ends the program
that asks, ``outcome`` judges what was asked, as case results (imported by itself, since only the end needs it).
"""

from harness.runner.serving.activity import Activity
from harness.runner.serving.automatic import AUTOMATIC, behaviour_of
from harness.runner.serving.offers import Offer, Opening, Served, offers
from harness.runner.serving.program import Program, in_terminal

__all__ = ["AUTOMATIC", "Activity", "Offer", "Opening", "Program", "Served", "behaviour_of", "in_terminal", "offers"]
