"""A server of the wires, and how it is known to differ from the provider whose rules they are."""

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
"""For each wire, the name of the server whose rules it has."""


@dataclass(frozen=True, slots=True)
class Practice:
    """What a server does with requests that break ``rule``, and the evidence.

    ``evidence`` are recordings, as ``recording NAME``, and addresses of public reports. ``about`` says in words which
    part of the rule is meant, if not all of it; ``models`` finds the names of the models that it applies to.
    """

    rule: str
    does: Does
    evidence: tuple[str, ...]
    about: str = ""
    models: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Server:
    """A server that answers requests of a wire.

    It is recognised by the ``hosts`` of a request, by ``headers`` that only its responses have (lower case), by what
    ``answers`` finds in the body of a response, and by ``models``: names that only it accepts. Each except ``headers``
    is a regular expression, empty for none. Every text that ``answers`` finds contains ``answer_sign``. It is searched
    first, because most responses come from other servers, and this search takes a tenth of the time.

    ``like`` names the servers whose checks it shares, because it serves the same models. ``maker`` is the maker whose
    words it uses in refusals; ``elsewhere`` for a server with models of many makers, empty if the model's name decides.
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
        """Whether a host name, perhaps with a port, belongs to this server."""
        return self._hosts.search(host) is not None

    def practice(self, rule: str, model: str) -> Practice | None:
        """What it is known to do with requests to ``model`` that break a rule; None if nothing is known."""
        return next(
            (each for each in self.practices if each.rule == rule and re.search(each.models, model, re.IGNORECASE)),
            None,
        )

    def checks_as(self, wire: str) -> bool:
        """Whether the rules of a wire are its own: it is the provider, or it serves the provider's models."""
        return OWNERS.get(wire) in (self.name, *self.like)
