"""Requests of Chat Completions, broken on purpose.

base_requests   loops of several models and makers
history     results, calls and thinking
messages    what one message says
request     the request as a whole
tools       declarations and choices
models      what a model does not take
equivalents      what is accepted
"""

from __future__ import annotations

from typing import Final

from harness.wire.played import BaseRequest
from harness_lab.mutants.requests.mutant import EquivalentRequest, RequestMutant
from harness_lab.mutants.requests.openai_chat import equivalents, history, messages, models, request, tools
from harness_lab.mutants.requests.openai_chat.base_requests import BASE_REQUESTS as _BASE_REQUESTS
from harness_lab.mutants.requests.openai_chat.base_requests import ONE_CALL

__all__ = ["BASE_REQUESTS", "EQUIVALENTS", "MUTANTS", "ONE_CALL"]

BASE_REQUESTS: Final[tuple[BaseRequest, ...]] = _BASE_REQUESTS
MUTANTS: Final[tuple[RequestMutant, ...]] = (
    *history.MUTANTS,
    *messages.MUTANTS,
    *request.MUTANTS,
    *tools.MUTANTS,
    *models.MUTANTS,
)
EQUIVALENTS: Final[tuple[EquivalentRequest, ...]] = equivalents.EQUIVALENTS
