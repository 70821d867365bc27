"""What providers serve beside the model: lists of models, and counts of tokens.

Clients ask for them before or between the requests of a conversation. The answers are plausible: the model of the case,
and a count by the length of the request. Forms: as the providers' official SDKs read them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

__all__ = ["CREATED", "INPUT", "OUTPUT", "RELEASED", "AuxiliaryRequest", "ModelQuery"]

CREATED: Final = 1_767_225_600
RELEASED: Final = "2026-01-01T00:00:00Z"
INPUT: Final = 1_000_000
OUTPUT: Final = 64_000

_MODELS: Final = re.compile(r"(?:/[^/]+)*?(?P<version>/v\d\w*)?/models(?:/(?P<id>.*?))?/?")
_BYTES_PER_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class ModelQuery:
    """A request for the model ``id``, or for the list of models, which is ``models``. ``version`` is the path's."""

    id: str
    version: str
    models: tuple[str, ...]

    def answer(self, one: Any, all_of_them: Any) -> Any:
        """``one(id)`` or ``all_of_them(models)``, as it was asked."""
        return one(self.id) if self.id else all_of_them(self.models)


@dataclass(frozen=True, slots=True)
class AuxiliaryRequest:
    """A request that is no conversation.

    ``path`` has no query, the names of ``headers`` are lower-case, ``size`` is that of the body in bytes. ``model`` is
    the one that a list has; empty for an empty list.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    size: int
    model: str

    @property
    def models(self) -> ModelQuery | None:
        """What is asked of models; None where something else is."""
        found = _MODELS.fullmatch(self.path) if self.method in ("GET", "HEAD") else None
        if found is None:
            return None
        return ModelQuery(unquote(found["id"] or ""), found["version"] or "", (self.model,) if self.model else ())

    def tokens(self, end: str) -> int | None:
        """The tokens of the body, where the path ends with ``end``, which counts them; None elsewhere."""
        asked = self.method == "POST" and self.path.rstrip("/").endswith(end)
        return max(1, self.size // _BYTES_PER_TOKEN) if asked else None
