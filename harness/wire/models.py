"""What holds for some models of a provider only, as data: the facts that rules depend on, and their sources."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

THINKS: Final = "thinks"
"""The name of a fact on every wire. True: where the request sets nothing about it, the model thinks in front of what it
says, and the client gets something of that; False: it does not unless it is asked to."""


@dataclass(frozen=True, slots=True)
class ModelFact:
    """A fact about the models whose name ``pattern`` finds (``re.search``, case ignored).

    ``models`` says in words which those are, ``value`` what is so: True, a number of tokens, the values that are
    supported. Of several facts with one name the first that covers a model counts.
    """

    name: str
    models: str
    pattern: str
    source: str
    value: object = True
    _found: re.Pattern[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_found", re.compile(self.pattern, re.IGNORECASE))

    def covers(self, model: str) -> bool:
        """Whether this is a fact about ``model``."""
        return self._found.search(model) is not None


class ModelTable:
    """The facts of one provider."""

    def __init__(self, *facts: ModelFact) -> None:
        self.facts: Final = facts
        self._value = lru_cache(maxsize=4096)(self._find)

    def value(self, name: str, model: str) -> object:
        """What the table says under ``name`` of ``model``; None where it says nothing."""
        return self._value(name, model)

    def holds(self, name: str, model: str) -> bool:
        """Whether the fact is known of this model, and is not that it does not hold."""
        return bool(self._value(name, model))

    def _find(self, name: str, model: str) -> object:
        return next((fact.value for fact in self.facts if fact.name == name and fact.covers(model)), None)
