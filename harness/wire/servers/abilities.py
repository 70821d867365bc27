"""Refusals that are no fault of a request's history: a model or a server lacks an ability, or something else fails.

Such a request breaks no rule: its refusal depends on the model behind a name, on how a server was started, or on a file
elsewhere. So each refusal is recognised by its words, with the evidence of people who got it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Final, Literal

ReasonKind = Literal["ability", "model", "key", "file", "length", "parameter", "answer", "unsaid"]
"""``ability``: the model or the server cannot do it. ``model``: it has no such model. ``key``: the key is wrong.
``file``: a file cannot be fetched or read. ``length``: more text than fits. ``parameter``: a setting that this server
checks for itself. ``answer``: what the model did is no answer. ``unsaid``: the server does not say what is wrong."""

Ability = Literal[
    "tools",
    "forced calls",
    "built-in tools",
    "parallel calls",
    "system role",
    "reasoning",
    "image input",
    "audio input",
    "video input",
    "files",
    "JSON mode",
    "JSON schema",
    "log probabilities",
    "web search",
    "penalties",
]
"""What a model or a server may be unable to do."""

REASONS: Final[dict[ReasonKind, str]] = {
    "ability": "the model or the server cannot do it; ask another model, or leave it out",
    "model": "the server has no model with this name; look at its list of models",
    "key": "the key is not accepted; nothing in the request is wrong",
    "file": "the server could not fetch or read a file; nothing in the history is wrong",
    "length": "the request has more text than the model takes; shorten the history",
    "parameter": "the server checks this setting for itself; change or leave it out",
    "answer": "the model's own answer is the fault; ask again, or give it more room",
    "unsaid": "the server does not say what is wrong; ask the provider behind it",
}
"""The meaning of each kind, for somebody who got the refusal."""


@dataclass(frozen=True, slots=True)
class RefusalReason:
    """A refusal in words that ``text`` finds (a regular expression, case ignored).

    ``server`` is the name of the server that sends it, ``""`` for several; ``models`` names in words the models that it
    was seen with. ``ability`` is what they cannot do, ``""`` for the other kinds. ``evidence`` is as in ``Practice``.
    """

    kind: ReasonKind
    text: str
    evidence: str
    ability: Ability | Literal[""] = ""
    server: str = ""
    models: str = ""
    _found: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_found", re.compile(self.text, re.IGNORECASE))

    def says(self, text: str) -> bool:
        """Whether a text contains this refusal."""
        return self._found.search(text) is not None


_FILE: Final = Path(__file__).with_name("refusals.yaml")


@cache
def refusal_reasons() -> Sequence[RefusalReason]:
    """Every known reason, the abilities first: ``refusals.yaml``."""
    from harness.ground.data_files import read_data  # a run that nobody refuses reads no YAML

    return [_reason(**each) for each in read_data(_FILE)]


def _reason(cannot: Ability | Literal[""] = "", kind: ReasonKind = "ability", **members: str) -> RefusalReason:
    """A reason. ``cannot`` is the missing ability; other reasons have a ``kind``."""
    return RefusalReason(kind, ability=cannot, **members)


def refusal_reason(text: str) -> RefusalReason | None:
    """The reason in a refusal's message; None if it has no known one."""
    return next(_reasons(" ".join(text.split())), None)


def _reasons(text: str) -> Iterator[RefusalReason]:
    return (each for each in refusal_reasons() if each.says(text))
