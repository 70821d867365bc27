"""OpenAI's lists of models and counts of tokens. Compatible servers have the same lists, under any path."""

from __future__ import annotations

from collections.abc import Sequence

from harness.wire.auxiliary import CREATED, AuxiliaryAnswer, AuxiliaryRequest
from harness.wire.claim import Claim
from harness.wire.lenient import Json


def auxiliary(request: AuxiliaryRequest) -> AuxiliaryAnswer | None:
    """The answer to a request that is no conversation (``Wire.auxiliary``)."""
    if (tokens := request.tokens("/responses/input_tokens")) is not None:
        return AuxiliaryAnswer(Claim.SURE, {"object": "response.input_tokens", "input_tokens": tokens})
    asked = request.models
    return None if asked is None else AuxiliaryAnswer(Claim.POSSIBLE, asked.answer(_model, _models))


def _model(name: str) -> Json:
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "system"}


def _models(names: Sequence[str]) -> Json:
    return {"object": "list", "data": [_model(each) for each in names]}
