"""Right programs, request by request, as standard tests of frameworks and ordinary scripts send them.

None of them loses or changes what a model has said to it: where a model's turn is in a later request, it is there as it
came. ``REWRITERS`` change on purpose what stood before it.
"""

from __future__ import annotations

import tests.outside.chats
import tests.outside.loops
import tests.outside.rewriters  # noqa: F401 - each registers its programs
from tests.outside.playing import PROGRAMS, REWRITERS, Program, Turn, leaves_calls_open

__all__ = ["PROGRAMS", "REWRITERS", "Program", "Turn", "leaves_calls_open"]
