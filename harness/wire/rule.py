"""What a provider demands of a request, and requests that break these demands.

Every wire has one table of rules (``Wire.rules``). The endpoint's refusals, the findings, ``harness explain ANT-15``
and the documents are made from it. A check says only where a rule is broken; everything else is in the rule.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from string import Formatter
from typing import Final, Literal, get_args

from harness.finding import Finding, Level, ProviderAnswer
from harness.wire.posted import Right, Wrong

Certainty = Literal["certain", "likely", "inferred"]
"""How sure it is that the provider refuses a request: from recordings, from reports of others, from inference."""

Subject = Literal["results", "thinking", "words", "ids", "prompt"]
"""Subjects of rules of several wires. ``results``: which results answer which calls, and their places. ``thinking``:
thinking and signatures that go back. ``words``: text and calls of the model's turns that go back. ``ids``: the form of
ids, which another provider's ids may lack. ``prompt``: a request must say something."""

Fact = Literal[
    "body",
    "ids",
    "arguments-text",
    "thinking",
    "signatures",
    "finish",
    "part-order",
    "item-ids",
    "tool-runs",
]
"""What a record of a request may show or lack, in this order: the whole body; the ids of calls and results; arguments
as the model wrote them; the thinking and its signatures in request and response; why the model stopped; the order of
the parts of a message; the ids of items; the runs of tools."""

EVERY_FACT: Final[frozenset[Fact]] = frozenset(get_args(Fact))

LEVELS: Final[Mapping[Certainty, Level]] = {"certain": "MUST", "likely": "SHOULD", "inferred": "INFO"}
"""The level of a finding for each certainty of the provider's refusal."""


@dataclass(frozen=True, slots=True)
class ErrorTemplate:
    """What a provider answers to a request that breaks a rule. ``{words}`` mark what differs between answers.

    ``status`` 200: no provider refuses it, and ``message`` says what happens instead. ``kind`` is the error's type,
    ``""`` for the wire's usual one. ``certainty`` is set if this template differs from the rule. ``seen`` is the text
    as somebody got it, word for word, from a source that the rule's evidence names; it is ``""`` if the template is
    only remembered or inferred. ``name`` is the name that checks use; the usual answer of a rule needs none.
    """

    message: str
    param: str | None = None
    code: str | None = None
    status: int = 400
    kind: str = ""
    certainty: Certainty | None = None
    seen: str = ""
    name: str = ""

    def answer(self, place: str, words: Mapping[str, object]) -> ProviderAnswer:
        """The answer to a request that breaks the rule at ``place``. Raises ``KeyError`` for a word that is missing."""
        param = self.param if self.param is None else self.param.format_map(words)
        return ProviderAnswer(self.message.format_map(words), self.status, place, param, self.code, self.kind)

    def matches(self, message: str) -> bool:
        """Whether this template gives the message, with any text in place of its words."""
        pieces = Formatter().parse(self.message)
        pattern = "".join(re.escape(text) + ("" if word is None else ".*") for text, word, _, _ in pieces)
        return re.fullmatch(pattern, message, re.DOTALL) is not None

    def shows(self, words: Mapping[str, object], sent: Collection[str]) -> bool:
        """Whether somebody got this answer with these words. The words in ``sent`` are what was sent; they may differ.

        Only the last member of a place counts: an answer about ``temperature`` says nothing about ``top_p``.
        """
        if "…" in self.seen:  # a part of it was quoted
            whole = _without_places(self.message.format_map(words))
            return all(_without_places(each) in whole for each in self.seen.split("…"))
        pattern = "".join(
            re.escape(_without_places(text)) + ("" if name is None else ".*" if name in sent else _same(words[name]))
            for text, name, _, _ in Formatter().parse(self.message)
        )
        return bool(self.seen) and re.fullmatch(pattern, _without_places(self.seen), re.DOTALL) is not None


def verbatim(
    message: str,
    param: str | None = None,
    code: str | None = None,
    status: int = 400,
    kind: str = "",
    certainty: Certainty | None = None,
    name: str = "",
) -> ErrorTemplate:
    """Return an answer that is the same for every request, as somebody got it word for word."""
    return ErrorTemplate(message, param, code, status, kind, certainty, message, name)


_PLACE: Final = re.compile(r"[\w\[\]-]+[.\]][\w.\[\]-]*?(?<![\w])([A-Za-z_]\w*)(?![\w.\[\]-])")


def _without_places(text: str) -> str:
    """The text with each place (``tools.0.name``, ``input[2].id``) replaced by its last member."""
    return _PLACE.sub(r"\1", text)


def _same(value: object) -> str:
    return re.escape(_without_places(str(value)))


@dataclass(frozen=True, slots=True)
class WireRule:
    """One demand of a provider on requests.

    ``templates`` are the provider's answers, the usual one first. ``evidence`` names the sources of rule and templates:
    recordings, issues and documentation with their URLs. ``applies`` says in words on which models, API versions or
    settings the rule applies; empty: on all.

    A rule with ``permits`` describes what the provider accepts, so that nobody reports it. It has no templates. A rule
    with ``aside`` is about requests for something other than the model's next answer (``Route.aside``).

    ``about`` has the subjects that the rule shares with rules of other wires and with the harness's own rules. Findings
    about one subject have one cause: a refusal for thinking makes lost thinking certain. It is empty if no other rule
    states the same.

    ``needs`` is what a record must show before the rule can be judged by it; most need the whole body.

    ``wrong`` are requests that break the rule, ``right`` are requests that only seem to break it.
    """

    id: str
    statement: str
    why: str
    certainty: Certainty
    evidence: tuple[str, ...]
    templates: tuple[ErrorTemplate, ...] = ()
    applies: str = ""
    permits: bool = False
    aside: bool = False
    about: tuple[Subject, ...] = ()
    needs: tuple[Fact, ...] = ("body",)
    wrong: tuple[Wrong, ...] = ()
    right: tuple[Right, ...] = ()

    @property
    def level(self) -> Level:
        """The level of a finding of this rule, unless its template or its check says otherwise."""
        return LEVELS[self.certainty]

    def template(self, name: str | None) -> ErrorTemplate:
        """The answer with this name; None: the usual one. Raises ``KeyError`` if there is none."""
        for each in self.templates:
            if name is None or each.name == name:
                return each
        raise KeyError(name)

    def broken(
        self,
        place: str,
        *,
        expected: str,
        got: str,
        template: str | None = None,
        certainty: Certainty | None = None,
        bound: Collection[str] | None = None,
        **words: object,
    ) -> Finding:
        """This rule, broken at a place in the body. The trace rule that reports the finding fills in the rest.

        ``template`` names the error template (None: the first), ``certainty`` overrides its own, and ``words`` fill its
        texts. ``bound``: a value is beyond a bound, or none of the known values, and these words say what was sent.
        Such a finding is inferred, unless somebody got this answer for this member (``ErrorTemplate.shows``). Raises
        ``KeyError`` for an unknown template or a word that is missing: mistakes of a check.
        """
        chosen = self.template(template)
        if bound is not None and not chosen.shows({"at": place, **words}, bound):
            certainty = "inferred"
        level = LEVELS[certainty or chosen.certainty or self.certainty]
        answer = chosen.answer(place, {"at": place, **words})
        return Finding("", level, "", None, expected, got, reference=self.id, provider=answer)
