"""Requests that are no conversation: lists of models, and counts of tokens, which wires answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache

from harness.gateway.response_plan import ResponsePlan
from harness.wire import wires
from harness.wire.auxiliary import AuxiliaryRequest
from harness.wire.base import Claim, Json

__all__ = ["beside"]


def beside(request: AuxiliaryRequest) -> ResponsePlan | None:
    """The answer to a request that is no conversation; None where nothing of the kind is asked."""
    answers = [found for answer in _answering() if (found := answer(request)) is not None]
    if not answers:
        return None
    _, body = max(answers, key=lambda answer: answer[0])
    return ResponsePlan(200, {"content-type": "application/json"}, (json.dumps(body).encode(),))


@cache
def _answering() -> tuple[Callable[[AuxiliaryRequest], tuple[Claim, Json] | None], ...]:
    """What answers such requests, wire by wire; wires of one provider may have it in common."""
    return tuple(dict.fromkeys(each.auxiliary for each in wires() if each.native))
