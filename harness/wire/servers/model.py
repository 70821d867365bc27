"""A server of the wires, and what it is known to do otherwise than the provider whose rules they are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

Does = Literal["refuses", "accepts"]
"""What a server does with a request that breaks a rule."""

OWNERS: Final = {
    "openai-chat": "openai",
    "openai-responses": "openai",
    "anthropic-messages": "anthropic",
    "gemini-generate": "gemini",
}
"""Whose rules the rules of a wire are, by the name of the server."""


@dataclass(frozen=True, slots=True)
class Practice:
    """What a server does with requests that break ``rule``, and who has seen it.

    ``evidence`` are recordings, as ``recording NAME``, and addresses of public reports. ``about`` says in words what
    of the rule is meant, where that is not all of it; ``models`` finds the names of the models that it holds for.
    """

    rule: str
    does: Does
    evidence: tuple[str, ...]
    about: str = ""
    models: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Server:
    """Who answers requests of a wire.

    It is recognised by the ``hosts`` of a request, by ``headers`` of its responses that nobody else sends (lower case),
    by what ``answers`` finds in the body of a response, and by ``models``: names that only it takes. Each but
    ``headers`` is a regular expression, empty for none. ``answer_sign`` is a text without which ``answers`` finds
    nothing: it is looked for first, since most responses are somebody else's, and it takes a tenth of the time.

    ``like`` names the servers whose checks it has: the same models behind another door. ``maker`` is the maker in whose
    words it refuses; ``elsewhere`` for one that serves models of many makers, empty where the model's name decides.
    """

    name: str
    title: str
    hosts: str = ""
    headers: tuple[str, ...] = ()
    answers: str = ""
    answer_sign: str = ""
    models: str = ""
    like: tuple[str, ...] = ()
    maker: str = "elsewhere"
    practices: tuple[Practice, ...] = ()
    evidence: tuple[str, ...] = ()
    _hosts: re.Pattern[str] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hosts", re.compile(self.hosts or r"(?!)", re.IGNORECASE))

    def has_host(self, host: str) -> bool:
        """Whether a host name, with its port where there is one, is this server's."""
        return self._hosts.search(host) is not None

    def practice(self, rule: str, model: str) -> Practice | None:
        """What it is known to do with requests to ``model`` that break a rule; None where nothing is known."""
        return next(
            (each for each in self.practices if each.rule == rule and re.search(each.models, model, re.IGNORECASE)),
            None,
        )

    def checks_as(self, wire: str) -> bool:
        """Whether the rules of a wire are its own: it is the provider, or the provider's models behind another door."""
        return OWNERS.get(wire) in (self.name, *self.like)
