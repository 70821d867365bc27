"""Bedrock's counts of tokens: ``POST /model/{modelId}/count-tokens``."""

from __future__ import annotations

from harness.wire.auxiliary import AuxiliaryAnswer, AuxiliaryRequest
from harness.wire.claim import Claim


def auxiliary(request: AuxiliaryRequest) -> AuxiliaryAnswer | None:
    """The answer to a request that is no conversation (``Wire.auxiliary``)."""
    tokens = request.tokens("/count-tokens")
    return None if tokens is None else AuxiliaryAnswer(Claim.SURE, {"inputTokens": tokens})
