"""Thirty-eight wrong continuations that other model servers were tried with, as the bodies that a loop would send.

Thirty are certainly refused by the provider. Eight are probes of which nobody had established what the provider does:
there stands what our rules say, and why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from harness.wire import NativeWireName
from harness.wire.base import Json
from tests.endpoint.two_calls import LOOPS, Loop


@dataclass(frozen=True)
class Wrong:
    """A wrong request, and what comes of it.

    ``sends`` names the pieces behind the question, or in its place (``alone``); the right ones where it is empty.
    ``says`` is the provider's text, filled with the ``loop``. Empty: the request is answered, and ``why`` says what is
    known about it; ``rule`` is then the finding that it leaves, if any.
    """

    what: str
    sends: str = ""
    alone: bool = False
    members: Mapping[str, Any] = field(default_factory=dict)
    without: str = ""
    rule: str = ""
    says: str = ""
    param: str | None = None
    code: str | None = None
    why: str = ""

    def body(self, loop: Loop) -> Json:
        sent = {**loop.sending(self.sends or loop.right, alone=self.alone), **self.members}
        return {name: value for name, value in sent.items() if name != self.without}


_ROWS = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))

CASES: dict[NativeWireName, tuple[list[Wrong], list[Wrong]]] = {
    wire: ([Wrong(**row) for row in _ROWS[wire]["refused"]], [Wrong(**row) for row in _ROWS[wire]["probes"]])
    for wire in LOOPS
}
"""By wire: what is certainly refused, and the probes."""
