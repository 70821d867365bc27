"""Google's lists of models and counts of tokens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from harness.wire.auxiliary import INPUT, OUTPUT, AuxiliaryAnswer, AuxiliaryRequest
from harness.wire.claim import Claim
from harness.wire.lenient import Json

_COUNT: Final = re.compile(r"(?:/[^/]+)*/models/[^/]+:countTokens")


def auxiliary(request: AuxiliaryRequest) -> AuxiliaryAnswer | None:
    """The answer to a request that is no conversation (``Wire.auxiliary``)."""
    tokens = request.tokens("")
    if tokens is not None and _COUNT.fullmatch(request.path):
        details = [{"modality": "TEXT", "tokenCount": tokens}]
        return AuxiliaryAnswer(Claim.SURE, {"totalTokens": tokens, "promptTokensDetails": details})
    asked = request.models
    if asked is None or not ("x-goog-api-key" in request.headers or asked.version.startswith(("/v1beta", "/v1alpha"))):
        return None
    return AuxiliaryAnswer(Claim.LIKELY, asked.answer(_model, _models))


def _model(name: str) -> Json:
    return {
        "name": f"models/{name}",
        "version": "001",
        "displayName": name,
        "description": name,
        "inputTokenLimit": INPUT,
        "outputTokenLimit": OUTPUT,
        "supportedGenerationMethods": ["generateContent", "countTokens"],
    }


def _models(names: Sequence[str]) -> Json:
    return {"models": [_model(each) for each in names]}
