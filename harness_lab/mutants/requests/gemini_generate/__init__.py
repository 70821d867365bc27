"""Requests to Gemini, broken on purpose, and harmless equivalent mutants of them.

base_requests    the loops that are broken
finding      where things are in a body
turns        contents and roles in the wrong place
signatures   signatures lost, forged and moved
calls        calls and responses altered, lost and made up
settings     models, tools and settings that are not taken
form         bodies that cannot be read, unknown members, wrong types
equivalents       what is accepted
"""

from __future__ import annotations

from harness_lab.mutants.requests.gemini_generate.base_requests import BASE_REQUESTS
from harness_lab.mutants.requests.gemini_generate.calls import CALLS
from harness_lab.mutants.requests.gemini_generate.equivalents import EQUIVALENTS
from harness_lab.mutants.requests.gemini_generate.form import FORM
from harness_lab.mutants.requests.gemini_generate.settings import SETTINGS
from harness_lab.mutants.requests.gemini_generate.signatures import SIGNATURES
from harness_lab.mutants.requests.gemini_generate.turns import TURNS
from harness_lab.mutants.requests.mutant import RequestMutant

__all__ = ["BASE_REQUESTS", "EQUIVALENTS", "MUTANTS"]

MUTANTS: tuple[RequestMutant, ...] = (*TURNS, *CALLS, *SIGNATURES, *SETTINGS, *FORM)
