"""Requests that are broken on purpose, wire by wire: each breaks a small valid loop in one thing, and names its rules.

specimens   small loops without a mistake, played without any SDK
mutant      breakages of a request, and changes that break nothing
catalogue   all of them, by wire and by rule
"""

from harness_lab.mutants.requests.catalogue import mutants, mutants_of, specimens, variants, variants_of
from harness_lab.mutants.requests.mutant import RequestMutant, RequestVariant, composed
from harness_lab.mutants.requests.specimens import Played, Posted, Specimen

__all__ = [
    "Played",
    "Posted",
    "RequestMutant",
    "RequestVariant",
    "Specimen",
    "composed",
    "mutants",
    "mutants_of",
    "specimens",
    "variants",
    "variants_of",
]
