"""Requests of the Messages API, broken on purpose.

base_requests   loops without a mistake, one for each kind of request that a rule depends on
parts       what of a request an edit looks for
calls       mutants of calls, results, roles and of how a history ends
body        mutants of members, types and texts
thinking    mutants of thinking blocks and of what they are bound to
settings    mutants of all beside the messages
equivalents      changes that the provider accepts
"""

from harness_lab.mutants.requests.anthropic_messages.base_requests import BASE_REQUESTS
from harness_lab.mutants.requests.anthropic_messages.body import MUTANTS as BODY
from harness_lab.mutants.requests.anthropic_messages.calls import MUTANTS as CALLS
from harness_lab.mutants.requests.anthropic_messages.equivalents import EQUIVALENTS
from harness_lab.mutants.requests.anthropic_messages.settings import MUTANTS as SETTINGS
from harness_lab.mutants.requests.anthropic_messages.thinking import MUTANTS as THINKING
from harness_lab.mutants.requests.mutant import RequestMutant

__all__ = ["BASE_REQUESTS", "EQUIVALENTS", "MUTANTS"]

MUTANTS: tuple[RequestMutant, ...] = (*CALLS, *BODY, *THINKING, *SETTINGS)
