"""Right and wrong requests of a rule: a request as it is posted, and edits of it.

A wire's ``rules/right.py`` has loops without a mistake (``harness.wire.played.BaseRequest``). A rule states its wrong
requests as edits of the last request of such a loop. It states requests that only look wrong in the same way.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from harness.wire.lenient import Json


@dataclass(slots=True)
class Posted:
    """A request as it is posted, for an edit to change. If ``raw`` is set, it is sent instead of ``body``.

    ``connection`` is the number of the channel's connection on which it is sent; 0: over HTTP. ``deleted`` are the
    stored histories that were deleted before.
    """

    path: str
    body: Json
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    connection: int = 0
    deleted: tuple[str, ...] = ()

    @property
    def model_of_body(self) -> str:
        """The model that the body names; empty if it names none."""
        model = self.body.get("model") if isinstance(self.body, dict) else None
        return model if isinstance(model, str) else ""

    def content(self) -> bytes:
        """Return the body as bytes: ``raw`` if an edit has set it, else the JSON of ``body``."""
        return json.dumps(self.body).encode() if self.raw is None else self.raw


Edit = Callable[[Posted], Any]
"""Changes a request in place. It returns something false if the request has nothing to change and stays as it was."""


@dataclass(frozen=True, slots=True)
class Wrong:
    """A mistake of a client: ``edit`` makes it in a right request, and the rule that states it finds it there.

    ``on`` names base requests without the prefix of their wire, separated by spaces; ``harness explain`` shows the
    first. ``says`` is the name of the answer to the first (``ErrorTemplate.name``). On every other request, one of the
    rules in ``also`` may find the mistake instead.
    """

    name: str
    summary: str
    edit: Edit = field(repr=False)
    on: str
    says: str = ""
    also: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Right:
    """A change after which a request is as valid as before, though one could think that it breaks the rule.

    ``on``: as for ``Wrong``. ``also`` are other rules that it seems to break. ``remembered``: one must know what was
    sent to know that the request is valid.
    """

    name: str
    summary: str
    edit: Edit = field(repr=False)
    on: str
    also: tuple[str, ...] = ()
    remembered: bool = False


# --- edits of objects that were found in a body -----------------------------------------------------------------


def put(found: Iterable[Json], **members: Any) -> bool:
    """Set members of every object. Returns whether there was one."""
    changed = False
    for each in found:
        each.update(members)
        changed = True
    return changed


def drop(found: Iterable[Json], *names: str) -> bool:
    """Remove members of every object. Returns whether one of them was there."""
    return bool([each.pop(name) for each in found for name in names if name in each])


def add(found: Iterable[Json], name: str, *items: Any, at: int | None = None) -> bool:
    """Add items to the list that every object has under ``name``, before place ``at`` (None: at the end).

    Returns whether there was an object.
    """
    changed = False
    for each in found:
        place = len(each[name]) if at is None else at
        each[name][place:place] = items
        changed = True
    return changed
