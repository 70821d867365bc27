"""The campaign ``arguments``: partial parsing of a tool call's arguments."""

from __future__ import annotations

from typing import Final

from harness.fuzz.arguments.checking import check
from harness.fuzz.arguments.drawn import drawn
from harness.fuzz.arguments.example import ArgumentsExample, from_json, to_json
from harness.fuzz.arguments.features import FEATURES, features_of
from harness.fuzz.arguments.judging import ORACLES
from harness.fuzz.arguments.nasty import enumerated
from harness.fuzz.arguments.scenario import scenario
from harness.fuzz.arguments.smaller import smaller
from harness.fuzz.arguments.subjects import SIGNATURE, Parser, by_name
from harness.fuzz.campaign import Campaign

CAMPAIGN: Final[Campaign[ArgumentsExample, Parser]] = Campaign(
    name="arguments",
    summary="partial parsing of tool-call arguments: any text, in any deltas",
    signature=SIGNATURE,
    oracles=ORACLES,
    features=FEATURES,
    budget={"ci": 4_000, "nightly": 1_000_000},
    chunk=1_000,
    open=by_name,
    enumerated=enumerated,
    examples=drawn,
    check=check,
    features_of=features_of,
    smaller=smaller,
    to_json=to_json,
    from_json=from_json,
    scenario=scenario,
)
"""What a parser shows of arguments that are still arriving, compared with the final result of ``json.loads``."""
