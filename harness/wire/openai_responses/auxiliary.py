"""OpenAI's lists of models and counts of tokens. Compatible servers have the same lists, under any path."""

from __future__ import annotations

from collections.abc import Sequence

from harness.wire.auxiliary import CREATED, AuxiliaryRequest
from harness.wire.base import Claim
from harness.wire.lenient import Json

__all__ = ["auxiliary"]


def auxiliary(request: AuxiliaryRequest) -> tuple[Claim, Json] | None:
    """The answer to a request that is no conversation (``Wire.auxiliary``)."""
    if (tokens := request.tokens("/responses/input_tokens")) is not None:
        return Claim.SURE, {"object": "response.input_tokens", "input_tokens": tokens}
    asked = request.models
    return None if asked is None else (Claim.POSSIBLE, asked.answer(_model, _models))


def _model(name: str) -> Json:
    return {"id": name, "object": "model", "created": CREATED, "owned_by": "system"}


def _models(names: Sequence[str]) -> Json:
    return {"object": "list", "data": [_model(each) for each in names]}
