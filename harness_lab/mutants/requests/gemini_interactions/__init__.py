"""Requests to Gemini's Interactions, broken on purpose, and harmless equivalent mutants of them.

base_requests    the loops that are broken, in every form of a continuation
finding          where things are in a body
history          calls, results and steps lost, doubled, moved and rewritten
body             what is asked for, where nothing of the kind is served
equivalents      what is accepted
"""

from __future__ import annotations

from harness_lab.mutants.requests.gemini_interactions.base_requests import BASE_REQUESTS
from harness_lab.mutants.requests.gemini_interactions.body import BODY
from harness_lab.mutants.requests.gemini_interactions.equivalents import EQUIVALENTS
from harness_lab.mutants.requests.gemini_interactions.history import HISTORY
from harness_lab.mutants.requests.mutant import RequestMutant

__all__ = ["BASE_REQUESTS", "EQUIVALENTS", "MUTANTS"]

MUTANTS: tuple[RequestMutant, ...] = (*HISTORY, *BODY)
