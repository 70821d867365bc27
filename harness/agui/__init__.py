"""AG-UI, the protocol between an agent and the program that its user looks at: events as JSON, mostly over SSE.

``types`` is the table of its events, ``lines`` cuts a stream into events, ``reader`` turns them into records and events
of a trace, and ``frontend`` is what the user's program knows and sends. Nothing here judges or opens a socket.
"""

from harness.agui.frontend import Frontend
from harness.agui.lines import DataLines
from harness.agui.reader import AgUiReader, ReadEvent
from harness.agui.types import TYPES

__all__ = ["TYPES", "AgUiReader", "DataLines", "Frontend", "ReadEvent"]
