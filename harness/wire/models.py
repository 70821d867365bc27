"""Facts about some models of a provider, as data: what rules depend on, and the sources."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

THINKS: Final = "thinks"
"""The name of a fact on every wire. True: if the request sets nothing about it, the model thinks before it answers, and
the client gets some of the thinking. False: the model thinks only if asked to."""


@dataclass(frozen=True, slots=True)
class ModelFact:
    """A fact about the models whose name ``pattern`` finds (``re.search``, case ignored).

    ``models`` names these models in words. ``value`` is the fact: True, a number of tokens, the supported values. If
    several facts have the same name, the first that covers a model counts.
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
        """The value under ``name`` for ``model``; None if the table has none."""
        return self._value(name, model)

    def holds(self, name: str, model: str) -> bool:
        """Whether the table has a true value under ``name`` for this model."""
        return bool(self._value(name, model))

    def _find(self, name: str, model: str) -> object:
        return next((fact.value for fact in self.facts if fact.name == name and fact.covers(model)), None)
