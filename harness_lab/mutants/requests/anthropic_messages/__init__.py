"""Requests of the Messages API, broken on purpose.

base_requests   loops without a mistake, one for each kind of request that a rule depends on
parts       what of a request an edit looks for
calls       mutants of calls, results, roles and of how a history ends
server_tools  mutants of tools that the provider runs, and of strict schemas
body        mutants of members, types and texts
thinking    mutants of thinking blocks and of what they are bound to
settings    mutants of all beside the messages
equivalents, server_equivalents      changes that the provider accepts
"""

from harness_lab.mutants.requests.anthropic_messages.base_requests import BASE_REQUESTS
from harness_lab.mutants.requests.anthropic_messages.body import MUTANTS as BODY
from harness_lab.mutants.requests.anthropic_messages.calls import MUTANTS as CALLS
from harness_lab.mutants.requests.anthropic_messages.equivalents import EQUIVALENTS as OTHER_EQUIVALENTS
from harness_lab.mutants.requests.anthropic_messages.server_equivalents import EQUIVALENTS as SERVER_EQUIVALENTS
from harness_lab.mutants.requests.anthropic_messages.server_tools import MUTANTS as SERVER_TOOLS
from harness_lab.mutants.requests.anthropic_messages.settings import MUTANTS as SETTINGS
from harness_lab.mutants.requests.anthropic_messages.thinking import MUTANTS as THINKING
from harness_lab.mutants.requests.mutant import EquivalentRequest, RequestMutant

__all__ = ["BASE_REQUESTS", "EQUIVALENTS", "MUTANTS"]

EQUIVALENTS: tuple[EquivalentRequest, ...] = (*OTHER_EQUIVALENTS, *SERVER_EQUIVALENTS)

MUTANTS: tuple[RequestMutant, ...] = (*CALLS, *SERVER_TOOLS, *BODY, *THINKING, *SETTINGS)
