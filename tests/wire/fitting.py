"""Whether a provider's text may be what an answer of a rule says."""

from __future__ import annotations

import re

from harness.wire import WireRule


def saying(rules: tuple[WireRule, ...], text: str) -> list[str]:
    """The rules that have a wording for a text."""
    return [rule.id for rule in rules if any(fits(template.message, text) for template in rule.templates)]


def fits(template: str, text: str) -> bool:
    """Whether the template says the text: its words, and what either leaves out (…), may be anything."""
    wanted = re.split(r"(\{\w+\}|…)", template)
    if "…" not in text:
        return bool(re.fullmatch(".*".join(map(re.escape, wanted[::2])), text, re.DOTALL))
    one = [token for piece in wanted for token in ([None] if re.fullmatch(r"\{\w+\}|…", piece) else piece)]
    other = [None if letter == "…" else letter for letter in text]
    fitting = [[False] * (len(other) + 1) for _ in range(len(one) + 1)]
    fitting[len(one)][len(other)] = True
    for i in range(len(one), -1, -1):
        for j in range(len(other), -1, -1):
            free = (i < len(one) and one[i] is None) or (j < len(other) and other[j] is None)
            if free:
                fitting[i][j] = (i < len(one) and fitting[i + 1][j]) or (j < len(other) and fitting[i][j + 1])
            elif i < len(one) and j < len(other):
                fitting[i][j] = one[i] == other[j] and fitting[i + 1][j + 1]
    return fitting[0][0]
