"""Requests of the Responses API, broken on purpose.

base_requests  small loops without a mistake, in every form that a history can have
making     what mutants are made with
places     where the items of a request are
items      mistakes in single items and in the body: OAI-01 to OAI-09
history    mistakes in calls, outputs and whole histories: OAI-10 to OAI-13, OAI-18, OAI-19, OAI-28,
           OAI-CONNECTION, OAI-CONVERSATION
built_in   mistakes with built-in tools, approvals and declarations: OAI-09 to OAI-11, OAI-NS, OAI-OUTSCHEMA
reasoning  mistakes in reasoning: OAI-14 to OAI-17, OAI-DS
settings   mistakes in parts, files, numbers, tools and what depends on the model: OAI-20 to OAI-27
equivalents     changes that break nothing
"""

from __future__ import annotations

from harness_lab.mutants.requests.mutant import RequestMutant
from harness_lab.mutants.requests.openai_responses.base_requests import BASE_REQUESTS
from harness_lab.mutants.requests.openai_responses.built_in import MUTANTS as BUILT_IN
from harness_lab.mutants.requests.openai_responses.equivalents import EQUIVALENTS
from harness_lab.mutants.requests.openai_responses.history import MUTANTS as HISTORY
from harness_lab.mutants.requests.openai_responses.items import MUTANTS as ITEMS
from harness_lab.mutants.requests.openai_responses.reasoning import MUTANTS as REASONING
from harness_lab.mutants.requests.openai_responses.settings import MUTANTS as SETTINGS

__all__ = ["BASE_REQUESTS", "EQUIVALENTS", "MUTANTS"]

MUTANTS: tuple[RequestMutant, ...] = (*ITEMS, *HISTORY, *BUILT_IN, *REASONING, *SETTINGS)
