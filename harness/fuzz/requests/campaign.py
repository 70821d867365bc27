"""The campaign ``requests``: what loops send, under the rules of the wires."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from harness.fuzz.campaign import Campaign, Profile
from harness.fuzz.requests.example import RequestExample
from harness.fuzz.requests.features import FEATURES, features_of
from harness.fuzz.requests.files import as_json, from_json
from harness.fuzz.requests.making import drawn, enumerated
from harness.fuzz.requests.ours import Ours
from harness.fuzz.requests.scenario import scenario
from harness.fuzz.requests.smaller import smaller
from harness.fuzz.requests.theirs import SIGNATURE, Theirs, validator
from harness.trace import JsonValue

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


class RequestsCampaign(Campaign[RequestExample, Ours | Theirs]):
    """Requests of random loops on every wire: right, with one mistake, changed so that nothing breaks, and damaged."""

    name: ClassVar[str] = "requests"
    summary: ClassVar[str] = "Requests of loops on every wire, right and wrong, under the rules of the wires."
    signature: ClassVar[str] = SIGNATURE
    oracles: ClassVar[Mapping[str, str]] = {
        "accepts": "A request of a loop without a mistake breaks no rule, whatever is known of what was sent before.",
        "finds": "A request with a mistake breaks one of the rules that the mistake is about.",
        "spares": "A change that breaks nothing breaks no rule.",
        "remembers": "Earlier judgements in the same process do not change the findings.",
        "writes": "What is read of a request is read again of the request that is written of it.",
        "explains": "A finding names its rule and gives the expected and the actual value.",
        "refuses": "A refusal is an answer that the provider's own SDK raises as an error of that status and words.",
        "raises": "Nothing is raised, whatever is in a request.",
    }
    features: ClassVar[tuple[str, ...]] = FEATURES
    budget: ClassVar[Mapping[Profile, int]] = {"ci": 2_000, "nightly": 50_000}
    chunk: ClassVar[int] = 250

    def open(self, target: str | None) -> Ours | Theirs:
        """Return our judge, or the validator that ``target`` names. Raises ``BadInput``."""
        return Ours() if target is None else Theirs(validator(target))

    def enumerated(self) -> Iterator[RequestExample]:
        """Yield the examples that every campaign begins with, always the same."""
        return enumerated()

    def examples(self) -> SearchStrategy[RequestExample]:
        """Return the strategy that draws random examples."""
        return drawn()

    def check(self, example: RequestExample, subject: Ours | Theirs) -> int:
        """Compare the judgement of the requests with what is wrong with them.

        Returns the number of runs; raises ``Falsified`` for a mistake.
        """
        return subject.hold(example)

    def features_of(self, example: RequestExample) -> Iterable[str]:
        """Return the features of the grammar that the example has, for the coverage."""
        return features_of(example)

    def smaller(self, example: RequestExample) -> Iterator[RequestExample]:
        """Yield simpler examples, the simplest first. Shrinking keeps one that still fails."""
        return smaller(example)

    def to_json(self, example: RequestExample) -> Mapping[str, JsonValue]:
        """Return the example as the JSON of a reproducer."""
        return as_json(example)

    def from_json(self, document: Mapping[str, JsonValue]) -> RequestExample:
        """Return the example of a reproducer. Raises ``ValueError`` for what is none."""
        return from_json(document)

    def scenario(self, example: RequestExample, name: str, summary: str) -> Mapping[str, str] | None:
        """Return the files of a scenario with this example by their names; None if it cannot be scripted."""
        return scenario(example, name, summary)
