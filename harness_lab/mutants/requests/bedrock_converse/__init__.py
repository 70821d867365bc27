"""Requests to Bedrock's Converse, broken on purpose, and harmless equivalent mutants of them.

base_requests    the loops that are broken
finding          where things are in a body
history          calls and results lost, doubled and moved; who speaks when
body             blocks, names and documents that are not taken
families         what the models of some makers do not take
equivalents      what is accepted
"""

from __future__ import annotations

from harness_lab.mutants.requests.bedrock_converse.base_requests import BASE_REQUESTS
from harness_lab.mutants.requests.bedrock_converse.body import BODY
from harness_lab.mutants.requests.bedrock_converse.equivalents import EQUIVALENTS
from harness_lab.mutants.requests.bedrock_converse.families import FAMILIES
from harness_lab.mutants.requests.bedrock_converse.history import HISTORY
from harness_lab.mutants.requests.mutant import RequestMutant

__all__ = ["BASE_REQUESTS", "EQUIVALENTS", "MUTANTS"]

MUTANTS: tuple[RequestMutant, ...] = (*HISTORY, *BODY, *FAMILIES)
