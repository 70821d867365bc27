from __future__ import annotations

from harness.wire import Text, Turn
from harness_lab.mutants.traces.plain import PlainRun, call, says
from harness_lab.mutants.traces.specimen import specimens

_TWO = PlainRun((Turn((Text("Let me look."), call("depth", basin="north"))), says("Yes.")))

SPECIMENS = specimens("order/tool-started", _TWO, ("two-turns", "A run that is right.", ()))
