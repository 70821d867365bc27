"""What the mutants of this wire are made with."""

from __future__ import annotations

from typing import Any, Final

from harness.wire.base import Json
from harness.wire.played import BaseRequest
from harness.wire.posted import Edit, Posted
from harness_lab.mutants.requests.mutant import RequestMutant

GO_ON: Final[Json] = {"role": "user", "content": "Go on."}
"""Something that the user says."""

OTHER_TEXT: Final[Json] = {"role": "assistant", "content": "Something else."}
"""Something that the model has not said."""


def mutant(name: str, summary: str, rules: tuple[str, ...], edit: Edit, *base_requests: BaseRequest) -> RequestMutant:
    """A mutant of this wire."""
    return RequestMutant(f"responses-{name}", summary, rules, edit, base_requests)


def with_settings(**members: Any) -> Edit:
    """Other members of the body."""

    def edit(posted: Posted) -> bool:
        posted.body.update(members)
        return True

    return edit
