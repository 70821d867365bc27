"""One recorded request under the rules of its wire."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from harness.cassette.recordings.recording import RecordedExchange
from harness.imports.comparison import RecordedDifference
from harness.lint import ExplainedRefusal, Judgement, explain
from harness.wire import WireName
from harness_lab.recorded.requests.refusals import is_about_history

Memory = Literal["with memory", "without memory"]

REFUSAL = "refusal"
"""The place of a refusal that no rule explains."""


@dataclass(frozen=True, slots=True)
class JudgedRequest:
    """One recorded request, judged. ``message`` is the endpoint's refusal, ``""`` if it accepted."""

    exchange: RecordedExchange
    judgement: Judgement
    memory: Memory
    message: str = ""

    @property
    def wire(self) -> WireName:
        """The wire of the request."""
        return self.judgement.wire

    @property
    def accepted(self) -> bool:
        """Whether the endpoint accepted the request."""
        return self.exchange.status < 400

    @property
    def about_history(self) -> bool:
        """Whether the endpoint refused the request for its history."""
        return is_about_history(self.exchange)

    @property
    def explanation(self) -> ExplainedRefusal | None:
        """The rule whose words the endpoint used. If it used other words, that may be another mistake."""
        found = explain(self.message, (*self.judgement.violations, *self.judgement.withheld))
        return found if found is not None and found.word_for_word else None

    def differences(self) -> Iterator[RecordedDifference]:
        """Each certain rule that the accepted request breaks, or the refusal that no rule explains.

        What only a reply shows needs memory, so without memory a refusal needs no rule.
        """
        if self.accepted:
            for each in (*self.judgement.accepted, *self.judgement.violations):
                if each.level == "MUST":
                    yield RecordedDifference(each.id, "a refusal", f"{each.answered.message} (got {each.got})")
        elif self.memory == "with memory" and self.about_history and self.explanation is None:
            yield RecordedDifference(REFUSAL, "a rule that says so", self.message)
