"""The campaign ``requests``: what loops send, under the rules of the wires."""

from __future__ import annotations

from typing import Final

from harness.fuzz.campaign import Campaign
from harness.fuzz.requests.example import RequestExample
from harness.fuzz.requests.features import FEATURES, features_of
from harness.fuzz.requests.files import as_json, from_json
from harness.fuzz.requests.making import drawn, enumerated
from harness.fuzz.requests.ours import Ours
from harness.fuzz.requests.scenario import scenario
from harness.fuzz.requests.smaller import smaller
from harness.fuzz.requests.theirs import SIGNATURE, Theirs, validator


def _open(target: str | None) -> Ours | Theirs:
    return Ours() if target is None else Theirs(validator(target))


def _check(example: RequestExample, subject: Ours | Theirs) -> int:
    return subject.hold(example)


CAMPAIGN: Final[Campaign[RequestExample, Ours | Theirs]] = Campaign(
    name="requests",
    summary="Requests of loops on every wire, right and wrong, under the rules of the wires.",
    signature=SIGNATURE,
    oracles={
        "accepts": "A request of a loop without a mistake breaks no rule, whatever is known of what was sent before.",
        "finds": "A request with a mistake breaks one of the rules that the mistake is about.",
        "spares": "A change that breaks nothing breaks no rule.",
        "remembers": "Earlier judgements in the same process do not change the findings.",
        "writes": "What is read of a request is read again of the request that is written of it.",
        "explains": "A finding names its rule and gives the expected and the actual value.",
        "refuses": "A refusal is an answer that the provider's own SDK raises as an error of that status and words.",
        "raises": "Nothing is raised, whatever is in a request.",
    },
    features=FEATURES,
    budget={"ci": 2_000, "nightly": 50_000},
    chunk=250,
    open=_open,
    enumerated=enumerated,
    examples=drawn,
    check=_check,
    features_of=features_of,
    smaller=smaller,
    to_json=as_json,
    from_json=from_json,
    scenario=scenario,
)
"""Requests of random loops on every wire: right, with one mistake, changed so that nothing breaks, and damaged."""
