"""Right programs, request by request, as standard tests of frameworks and ordinary scripts send them.

None of them loses or changes what a model has said to it: where a model's turn is in a later request, it is there as it
came. ``MIXED`` have turns of others beside it, and ``REWRITERS`` change on purpose what stood
before it.
"""

from __future__ import annotations

import tests.outside.chats
import tests.outside.loops
import tests.outside.mixed
import tests.outside.rewriters  # noqa: F401 - each registers its programs
from tests.outside.playing import MIXED, PROGRAMS, REWRITERS, Program, Turn, leaves_calls_open

__all__ = ["MIXED", "PROGRAMS", "REWRITERS", "Program", "Turn", "leaves_calls_open"]
