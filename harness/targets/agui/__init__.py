"""Programs that serve an agent over AG-UI. The harness is the program of the user: it posts runs, and answers calls.

``posted`` has one request with the events that answer it, ``conversation`` the runs of a case, and ``target`` the
server that is started for the case.
"""

from harness.targets.agui.target import AgUiTarget

__all__ = ["AgUiTarget"]
