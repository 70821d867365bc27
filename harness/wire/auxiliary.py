"""What providers serve beside the model: lists of models, counts of tokens, and what they have kept.

Clients ask for them before or between the requests of a conversation. The answers are plausible: the model of the case,
a token count from the length of the request, and what was sent. They have the forms that the providers' official SDKs
read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote

from harness.finding import ProviderAnswer
from harness.wire.claim import Claim
from harness.wire.keeping import NOTHING_KEPT, Kept, KeptChange

CREATED: Final = 1_767_225_600
RELEASED: Final = "2026-01-01T00:00:00Z"
INPUT: Final = 1_000_000
OUTPUT: Final = 64_000

_MODELS: Final = re.compile(r"(?:/[^/]+)*?(?P<version>/v\d\w*)?/models(?:/(?P<id>.*?))?/?")
_BYTES_PER_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class ModelQuery:
    """A request for the model ``id`` or for the list ``models``. ``version`` comes from the path."""

    id: str
    version: str
    models: tuple[str, ...]

    def answer(self, one: Any, all_of_them: Any) -> Any:
        """``one(id)`` or ``all_of_them(models)``, whichever the request asks for."""
        return one(self.id) if self.id else all_of_them(self.models)


@dataclass(frozen=True, slots=True)
class AuxiliaryRequest:
    """A request that is no conversation.

    ``path`` has no query, the names of ``headers`` are in lower case. ``model`` is the only entry of the list of
    models; it is empty for an empty list. ``kept`` has the issued responses that are kept.
    """

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    model: str
    query: str = ""
    kept: Kept = NOTHING_KEPT

    @property
    def models(self) -> ModelQuery | None:
        """The query about models; None if the request asks for something else."""
        found = _MODELS.fullmatch(self.path) if self.method in ("GET", "HEAD") else None
        if found is None:
            return None
        return ModelQuery(unquote(found["id"] or ""), found["version"] or "", (self.model,) if self.model else ())

    def tokens(self, end: str) -> int | None:
        """The tokens of the body if the path ends with ``end``, the path that counts tokens; None for other paths."""
        asked = self.method == "POST" and self.path.rstrip("/").endswith(end)
        return max(1, len(self.body) // _BYTES_PER_TOKEN) if asked else None


@dataclass(frozen=True, slots=True)
class AuxiliaryAnswer:
    """The answer to such a request: a document, the ``frames`` of a stream, or how it is ``refused``.

    ``claim`` is how surely the request is meant for the wire that answers. ``changes`` are the changes to what is kept.
    """

    claim: Claim
    document: Any = None
    frames: tuple[bytes, ...] | None = None
    refused: ProviderAnswer | None = None
    changes: tuple[KeptChange, ...] = ()


Auxiliary = Callable[[AuxiliaryRequest], AuxiliaryAnswer | None]
"""Answers such requests; returns None for any other request."""


def first_of(*answers: Auxiliary) -> Auxiliary:
    """The answer of the first function that has one."""

    def answer(request: AuxiliaryRequest) -> AuxiliaryAnswer | None:
        return next((found for each in answers if (found := each(request)) is not None), None)

    return answer
