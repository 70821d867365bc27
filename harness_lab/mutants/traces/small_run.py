"""A run that was written down to show one sentence of a rule: what it finds in it, or that it finds nothing."""

from __future__ import annotations

from dataclasses import dataclass

from harness.trace import Trace
from harness.wire import NATIVE_WIRES, WireName
from harness_lab.mutants.traces.draft import NothingToBreak, TraceDraft
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import PlainRun


@dataclass(frozen=True, slots=True)
class SmallRun:
    """A run on each of ``wires``, changed by ``edits``. ``summary`` says what it shows of ``rule``.

    A run in which nothing is found is right. What is found is stated, to the word (``selftest/stated.py``). ``wrong``
    is True if the rule must find something in it, False if no rule may, and None where only the statement says it.
    """

    name: str
    rule: str
    summary: str
    run: PlainRun
    edits: tuple[Edit, ...] = ()
    wires: tuple[WireName, ...] = NATIVE_WIRES
    wrong: bool | None = None

    def on(self, wire: WireName) -> Trace | None:
        """The run on a wire; None where the wire cannot say what the edits would change."""
        draft = TraceDraft.of(self.run.on(wire))
        try:
            for edit in self.edits:
                edit(draft)
        except NothingToBreak:
            return None
        return draft.trace
