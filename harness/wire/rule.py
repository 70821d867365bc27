"""What a provider demands of a request, and what a request that breaks it looks like.

Every wire has one table of rules (``Wire.rules``). The endpoint's refusals, the findings, ``harness explain ANT-15``
and the documents are made of it: a check says only where a rule is broken, and the rule says the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ErrorTemplate", "Level", "Violation", "WireRule"]

Level = Literal["C", "L", "I"]
"""How sure we are that the provider refuses it: certain, likely, inferred (the evidence levels of the wire rules)."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A rule that a request breaks, and what the provider would answer.

    ``rule`` is the id in the wire's rule table (``ANT-01``). ``message`` is the provider's own text. ``status`` 200:
    no provider refuses it, and ``message`` says what comes of it (``text-tags``). ``at`` is the place in the body.
    ``param``, ``code`` and ``kind`` are members of the error body where the wire has them.
    """

    rule: str
    message: str
    at: str
    expected: str
    got: str
    level: Level = "C"
    status: int = 400
    param: str | None = None
    code: str | None = None
    kind: str = ""


@dataclass(frozen=True, slots=True)
class ErrorTemplate:
    """What a provider answers to a request that breaks a rule, with ``{words}`` in place of what differs.

    ``status`` 200: no provider refuses it, and ``message`` says what comes of it. ``kind`` is the error's type, ``""``
    for the wire's usual one. ``level`` is that of this wording, where it differs from the rule's. ``seen`` is the text
    as somebody got it, word for word, from a source that the rule's evidence names; ``""`` where the template is only
    remembered or inferred.
    """

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    kind: str = ""
    level: Level | None = None
    seen: str = ""


@dataclass(frozen=True, slots=True)
class WireRule:
    """One statement of a provider's about requests.

    ``wordings`` are the provider's answers, the usual one first, by names that only the checks use. ``evidence`` says
    where rule and wordings are known from: recordings, issues and documentation with their URLs. ``applies`` says in
    words on which models, API versions or settings the rule holds; empty: on all.

    An ``allowance`` says what the provider accepts, so that nobody reports it. It has no wordings.
    """

    id: str
    statement: str
    why: str
    level: Level
    evidence: tuple[str, ...]
    wordings: tuple[tuple[str, ErrorTemplate], ...] = ()
    applies: str = ""
    allowance: bool = False

    def broken(
        self, at: str, *, expected: str, got: str, saying: str = "", level: Level | None = None, **words: object
    ) -> Violation:
        """This rule, broken at a place in the body.

        ``saying`` names the wording (default: the first), ``level`` overrides its level, and ``words`` fill its
        templates. Raises ``KeyError`` for an unknown wording or a word that is missing: mistakes of a check.
        """
        wording = dict(self.wordings)[saying] if saying else self.wordings[0][1]
        return Violation(
            self.id,
            wording.message.format_map({"at": at, **words}),
            at,
            expected,
            got,
            level or wording.level or self.level,
            wording.status,
            wording.param if wording.param is None else wording.param.format_map({"at": at, **words}),
            wording.code,
            wording.kind,
        )
