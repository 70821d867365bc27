"""Requests that are broken on purpose, wire by wire: each breaks a small valid loop in one thing, and names its rules.

base_requests   small loops without a mistake, played without any SDK
mutant      breakages of a request, and changes that break nothing
catalogue   all of them, by wire and by rule
"""

from harness.wire.played import BaseRequest, PlayedLoop
from harness.wire.posted import Posted
from harness_lab.mutants.requests.catalogue import base_requests, equivalents, mutants
from harness_lab.mutants.requests.mutant import EquivalentRequest, RequestMutant, composed

__all__ = [
    "BaseRequest",
    "EquivalentRequest",
    "PlayedLoop",
    "Posted",
    "RequestMutant",
    "base_requests",
    "composed",
    "equivalents",
    "mutants",
]
