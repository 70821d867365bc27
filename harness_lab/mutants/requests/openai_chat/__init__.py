"""Requests of Chat Completions, broken on purpose.

specimens   loops of several models and makers
history     results, calls and thinking
messages    what one message says
request     the request as a whole
tools       declarations and choices
models      what a model does not take
variants    what is accepted
"""

from __future__ import annotations

from typing import Final

from harness_lab.mutants.requests.mutant import RequestMutant, RequestVariant
from harness_lab.mutants.requests.openai_chat import history, messages, models, request, tools, variants
from harness_lab.mutants.requests.openai_chat.specimens import ONE_CALL
from harness_lab.mutants.requests.openai_chat.specimens import SPECIMENS as _SPECIMENS
from harness_lab.mutants.requests.specimens import Specimen

__all__ = ["MUTANTS", "ONE_CALL", "SPECIMENS", "VARIANTS"]

SPECIMENS: Final[tuple[Specimen, ...]] = _SPECIMENS
MUTANTS: Final[tuple[RequestMutant, ...]] = (
    *history.MUTANTS,
    *messages.MUTANTS,
    *request.MUTANTS,
    *tools.MUTANTS,
    *models.MUTANTS,
)
VARIANTS: Final[tuple[RequestVariant, ...]] = variants.VARIANTS
