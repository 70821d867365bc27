"""Anthropic's lists of models and counts of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from harness.wire.auxiliary import INPUT, OUTPUT, RELEASED, AuxiliaryAnswer, AuxiliaryRequest
from harness.wire.claim import Claim
from harness.wire.lenient import Json


def auxiliary(request: AuxiliaryRequest) -> AuxiliaryAnswer | None:
    """The answer to a request that is no conversation (``Wire.auxiliary``)."""
    if (tokens := request.tokens("/messages/count_tokens")) is not None:
        return AuxiliaryAnswer(Claim.SURE, {"input_tokens": tokens})
    asked = request.models if "anthropic-version" in request.headers else None
    return None if asked is None else AuxiliaryAnswer(Claim.SURE, asked.answer(_model, _models))


def _model(name: str) -> Json:
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": RELEASED,
        "lifecycle": "active",
        "deprecated_at": None,
        "retires_at": None,
        "line": None,
        "capabilities": None,
        "max_input_tokens": INPUT,
        "max_tokens": OUTPUT,
    }


def _models(names: Sequence[str]) -> Json:
    ends = {"first_id": names[0], "last_id": names[-1]} if names else {"first_id": None, "last_id": None}
    return {"data": [_model(each) for each in names], "has_more": False, **ends}
