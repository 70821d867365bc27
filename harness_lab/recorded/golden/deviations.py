"""Where the reference loop differs from the recorded engine on the same script, and why.

``docs/deviations.md`` has more about each, and ``harms`` the consequences if the reference did as the engine, by the
names that they have here. If the order of the reference's events deviates, the events are part of the reason, so that
they cannot change unnoticed.
"""

from __future__ import annotations

from pathlib import Path

from harness.imports.comparison import Reason
from harness_lab.recorded.golden.happened import PlayedRun
from harness_lab.recorded.golden.reasons import read_reasons

DEVIATIONS: tuple[Reason[PlayedRun], ...] = read_reasons(Path(__file__).with_suffix(".yaml"))
