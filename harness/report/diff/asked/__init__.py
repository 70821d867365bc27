"""What changed in the requests of a coding agent between two runs, each change once however many requests have it.

settled      a run's texts without what every run has otherwise: its folders, days, ids, the version of the program
request      a request in the parts that are compared: system prompt, tools, history, cache marks, members, headers
pairing      which request of the new run is which of the base run: by conversation, and by place in it
changes      what differs between two requests, part by part
counting     the changes of all cases, counted
"""

from harness.report.diff.asked.counting import RequestChanges
from harness.report.diff.asked.settled import Settling, is_of_agent

__all__ = ["RequestChanges", "Settling", "is_of_agent"]
