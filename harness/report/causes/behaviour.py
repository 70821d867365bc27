"""The loop's behaviour in a finding, without details of one case: ids, numbers, quotes and names."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from harness.finding import Finding
from harness.report.causes.transfers import mistake_of_gateway
from harness.runner.results import CaseResult

Behaviour = tuple[str, str, str]
"""The rule, the expectation and the observation in general words: equal for the same behaviour in other cases."""

_MASK: Final = "#"
_LONGEST: Final = 2_000
"""Characters of a text that are used: the description of the behaviour is at its beginning."""

_LONGEST_NAME: Final = 200

_QUOTED: Final = re.compile(
    r""""(?:[^"\\\n]|\\.)*"|(?<![^\W_])'(?:[^'\\\n]|\\.)*'(?![^\W_])|`[^`\n]*`|“[^”\n]*”""",
)
_ALL_QUOTED: Final = re.compile(r"""'[^\n]*'|"[^\n]*\"""")
_JSON: Final = re.compile(r"[{\[][^\n]*[}\]]")
_ID: Final = re.compile(r"\b(?=[\w-]*\d)(?=[\w-]*[^\W\d])[\w-]{6,}(?:…)?")
_LONG: Final = re.compile(r"\S{23,}[^\s,;:]")  # the sign behind it may end a clause
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*|\b(?:second|third|fourth|fifth|another)\b|\(no id\)")
_REPEATED: Final = re.compile(rf"{_MASK}(?:(?:, | and | or |[ .]){_MASK})+")
_COUNTED: Final = re.compile(r" \(\d+ characters\)")
"""The note behind a text that is quoted only in part."""
_DECLINED: Final = re.compile(r"(?<=the model stopped with )(?:refusal|content_filter)")
"""The two ways in which a model declines: a loop that hears neither makes one mistake."""
_CLAUSE: Final = re.compile(r"[,;] |: (?=\S+ \S)")


def behaviour(finding: Finding, case: CaseResult) -> Behaviour:
    """The loop's behaviour in the finding, independent of the case."""
    names = (*case.names, case.wire)
    if case.chunking.startswith("to-") and (what := mistake_of_gateway(finding)):
        return what, case.wire, masked(finding.got, names) if finding.rule == "server/loss" else ""
    if amounts := _more_or_fewer(finding.expected, finding.got):
        return finding.id, "a number", amounts
    texts = (finding.expected, finding.got)
    if finding.rule.startswith("expect/"):  # what it quotes may have quotes in it
        texts = (_ALL_QUOTED.sub(_MASK, texts[0]), _ALL_QUOTED.sub(_MASK, texts[1]))
    return finding.id, masked(texts[0], names), masked(texts[1], names)


def masked(text: str, names: Collection[str] = ()) -> str:
    """The first clause of a text with a mask for every quote, value, id, number and one of ``names``."""
    text = _QUOTED.sub(_MASK, _COUNTED.sub("", text[:_LONGEST].replace("\n", " ")))
    text = _ID.sub(_MASK, _LONG.sub(_MASK, _JSON.sub(_MASK, _DECLINED.sub(_MASK, text))))
    if names := [name for name in names if 0 < len(name) <= _LONGEST_NAME]:
        longest_first = sorted(names, key=len, reverse=True)
        text = re.sub(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)", _MASK, text)
    text = _REPEATED.sub(_MASK, _NUMBER.sub(_MASK, text))
    return _CLAUSE.split(text, maxsplit=1)[0].strip()


def _more_or_fewer(expected: str, got: str) -> str:
    """For two amounts, whether there are more or fewer than expected: these are different mistakes."""
    wanted, found = (re.fullmatch(r"(\d+)(?: (?:model turn|request)s?)?", text) for text in (expected, got))
    if wanted is None or found is None:
        return ""
    return "more" if int(found[1]) > int(wanted[1]) else "fewer"
