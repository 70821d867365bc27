"""What was found wrong: one record from the check that finds it to results.json and every report.

A check yields a ``Finding`` that says what it saw. Whoever reports it fills in the rest, and nobody converts it:

    check       ``broken(at, expected, got)`` of a trace rule, ``RULE.broken(place, expected=, got=)`` of a wire rule
    judge       the rule's id, level and impact, the conversation, and the answer before it (``harness.rules.judge``)
    runner      the scenario's line, what the endpoint refused, and what the baseline knows
    reports     only read it; ``results.json`` has its members as they are

The words are those of SARIF where it has them: a rule by its id, a level, a message (``expected``, ``got``,
``detail``), a location (``at``). The scale of levels is MUST, SHOULD, INFO, and there is no other. Positions are lines
of the trace file; ``line_of`` and ``record_of`` convert them, nothing else does.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

Level = Literal["MUST", "SHOULD", "INFO"]
"""``MUST``: wrong. ``SHOULD``: a loop may differ, and its users will notice. ``INFO``: reported only on request."""

Impact = Literal["invalid", "unsafe", "style", "expectation", "replay", "script", "target"]
"""What a finding means. Of a rule: ``invalid``: the provider would refuse it; ``unsafe``: a user or a model is misled
or harmed; ``style``: cosmetic. Beside the rules: ``expectation``: the scenario expects something else; ``replay``: the
cassette has something else; ``script``: the script of a test has something else; ``target``: the loop could not be
tested as it should."""

MAIN_NAME: Final = "main"
UNIDENTIFIED: Final = "not identified"


@dataclass(frozen=True, slots=True)
class ProviderAnswer:
    """What a provider answers to a request that breaks one of its rules.

    ``message`` is the provider's own text. ``status`` 200: no provider refuses the request, and ``message`` says what
    comes of it (``text-tags``). ``place`` is the place in the request's body. ``param``, ``code`` and ``kind`` are
    members of the error body where the wire has them; an empty ``kind`` is the wire's usual one.
    """

    message: str
    status: int = 400
    place: str = ""
    param: str | None = None
    code: str | None = None
    kind: str = ""

    def __str__(self) -> str:
        """The answer for a person: ``messages.2: HTTP 400 tool_use ids were found ...``."""
        where = f"{self.place}: " if self.place else ""
        status = f"HTTP {self.status} " if self.status >= 400 else ""
        return f"{where}{status}{self.message}"


_NO_ANSWER: Final = ProviderAnswer("", 200)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong: a rule that was broken, or an expectation that was not met.

    ``rule`` is the id of the harness's rule (``order/one-end``), or ``expect/KEY``, ``target/WHAT``, ``cassette/WHAT``
    or ``script/WHAT``. ``reference`` is the id of the provider's rule behind it (``ANT-01``), empty where there is
    none. ``rule``, ``level`` and ``impact`` are empty until the rule whose check yields the finding fills them in.

    ``at`` is the line of the case's trace file (1 is its header), None where no single line shows it. ``detail`` is
    what else a person should know. ``provider`` is the provider's answer to the request, where ``reference`` names a
    rule. ``known`` is the reason that the baseline gives for the finding, empty where nobody expects it. ``line`` is
    the one of the scenario's file that it is about: the expectation, or the answer with which the loop did not do what
    is right; None: no certain one. ``conversation`` is the one that it is about, as ``CaseResult.conversations`` names
    it; empty for the main one. ``since`` is, of an expectation, the line of the trace at which it was certain to be
    missed, where that is not ``at``: a request too few is certain at the end of the run only, whichever line shows it
    best. ``answer`` is, of a finding of a rule, the line with the model's answer before it in its conversation: what
    the loop did wrong it did after that. ``refused`` is the HTTP status with which the endpoint refused the request at
    ``at`` because it breaks a provider's rule; None where it did not.
    """

    rule: str
    level: Level | Literal[""]
    impact: Impact | Literal[""]
    at: int | None
    expected: str
    got: str
    detail: str = ""
    known: str = ""
    line: int | None = None
    conversation: str = ""
    since: int | None = None
    answer: int | None = None
    refused: int | None = None
    reference: str = ""
    provider: ProviderAnswer | None = None

    @property
    def id(self) -> str:
        """What a baseline calls it: the provider's rule (``ANT-01``) where there is one, else the rule."""
        return self.reference or self.rule

    @property
    def name(self) -> str:
        """The rule as reports head a finding: ``continuation/anthropic-messages (ANT-01)``."""
        return f"{self.rule} ({self.reference})" if self.reference else self.rule

    @property
    def answered(self) -> ProviderAnswer:
        """The provider's answer; where there is none, one that says nothing and refuses nothing."""
        return self.provider or _NO_ANSWER

    @property
    def remark(self) -> str:
        """What a report adds to ``expected`` and ``got``: the detail, and the provider's answer."""
        return "; ".join(filter(None, (self.detail, "" if self.provider is None else str(self.provider))))

    @property
    def explanation(self) -> str:
        """The remark, beginning with the conversation where that is not the main one."""
        beside = f"in the conversation '{self.conversation}'" if self.conversation else ""
        return "; ".join(filter(None, (beside, self.remark)))


def broken(
    at: int, expected: str, got: str, detail: str = "", *, level: Level | None = None, impact: Impact | None = None
) -> Finding:
    """What a check of a trace rule yields for one place where the rule is broken.

    ``at`` is the index of the record that shows it, in ``trace.records`` of the conversation that is judged. ``level``
    and ``impact`` override the rule's own.
    """
    return Finding("", level or "", impact or "", line_of(at), expected, got, detail)


def line_of(record: int) -> int:
    """The line of a trace file with a record, by its index: the header is line 1."""
    return record + 2


def record_of(line: int) -> int:
    """The index of the record in a line of a trace file: the inverse of ``line_of``."""
    return line - 2


def conversation_name(number: int | None) -> str:
    """How results name a conversation, given its number in the trace; empty for the main one."""
    return UNIDENTIFIED if number is None else f"side {number}" if number else ""
