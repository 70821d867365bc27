"""The reference loop survives a small search; what is adopted runs green on it; shrinking ends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from harness.errors import BadInput
from harness.fuzz.campaign import Falsified
from harness.fuzz.loop.campaign import CAMPAIGN
from harness.fuzz.loop.example import Play
from harness.fuzz.loop.kinds import KINDS, TOOLS
from harness.fuzz.loop.smaller import weight
from harness.fuzz.loop.stage import LoopSubject
from harness.fuzz.strategies.scripts import CLOSING, DrawnScript
from harness.scenario import NextRun, TurnStep
from harness.wire import Call, FinishReason, Turn
from harness.wire.turn import Text
from tests.fuzz.adopted import results, unlike_pass, written

SETTINGS = settings(
    deadline=None,
    database=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def reference() -> Iterator[LoopSubject]:
    opened = CAMPAIGN.open(None)
    yield opened
    opened.close()


def test_a_run_may_fail_of_what_the_wire_cannot_say_to_which_the_user_switches(reference: LoopSubject) -> None:
    odd = TurnStep(Turn((Call("look", "{"),), FinishReason.TOOL_CALLS))
    switch = NextRun("Go on.", model="gemini-3-flash-preview", wire="gemini-generate")
    play = Play(DrawnScript((CLOSING, odd, CLOSING), TOOLS), ("openai-responses",), runs=(switch,))
    assert CAMPAIGN.check(play, reference) == 1


@settings(SETTINGS, max_examples=20)
@given(CAMPAIGN.examples())
def test_what_is_smaller_weighs_less_and_is_an_example(play: Play) -> None:
    for smaller in islice(CAMPAIGN.smaller(play), 0, 150, 10):
        assert weight(smaller) < weight(play)
        assert CAMPAIGN.from_json(CAMPAIGN.to_json(smaller)) == smaller
        assert smaller.script.steps[-1] == CLOSING


@pytest.mark.anyio
async def test_adopted_scenarios_run_green_on_the_reference_loop(tmp_path: Path) -> None:
    examples = list(islice(CAMPAIGN.enumerated(), 0, 150, 12))
    scenarios = written(CAMPAIGN, tmp_path, examples)
    assert len(scenarios) == len(examples)
    found = await results(scenarios)
    assert len(found) >= 20
    assert unlike_pass(found) == {}


def test_half_a_surrogate_pair_is_in_no_scenario() -> None:
    """The campaign makes none: within the text of arguments it can be escaped."""
    play = Play(DrawnScript((CLOSING,), TOOLS, (("user", "\ud83d"),)), ("openai-chat",))
    assert CAMPAIGN.scenario(play, "half", "Half a character.") is None
    with pytest.raises(ValueError, match="unicode"):
        CAMPAIGN.from_json(CAMPAIGN.to_json(play))


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"model": []}, "at least one entry"),
        ({"wires": ["smoke"]}, "openai-responses"),
        ({"options": ["<p>"]}, "retrieve_option"),
        ({"expect": {"outcome": "completed"}}, "as this campaign writes it"),
    ],
)
def test_any_other_document_is_refused(change: dict[str, object], says: str) -> None:
    (play,) = islice(CAMPAIGN.enumerated(), 1)
    with pytest.raises(ValueError, match=says):
        CAMPAIGN.from_json({**CAMPAIGN.to_json(play), **change})  # type: ignore[dict-item]


@pytest.mark.parametrize("name", ["nothing-like-it", "gallery:nothing", "mutant:nothing", "no.such.module:run"])
def test_an_unknown_target_is_bad_input(name: str) -> None:
    with pytest.raises(BadInput):
        CAMPAIGN.open(name)


def test_what_a_mutant_did_is_named_with_its_case() -> None:
    subject = CAMPAIGN.open("mutant:results-reordered")
    turn = Turn((Call("look", "{}"), Call("wait", "{}")), FinishReason.TOOL_CALLS)
    play = Play(DrawnScript((type(CLOSING)(turn), CLOSING), TOOLS), ("openai-chat",), profile="screenshot-to-code")
    with pytest.raises(Falsified, match=r"history/result-order: .*openai-chat, event, mutant:results-reordered"):
        CAMPAIGN.check(play, subject)
    subject.close()


def test_a_library_that_does_otherwise_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The preset beside the library; and beside one that says something else, as it is made here."""
    pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")
    subject = CAMPAIGN.open("reference:pydantic-ai")
    play = Play(DrawnScript((KINDS["calls side by side"], CLOSING), TOOLS[:2]), ("openai-chat",), profile="pydantic-ai")
    assert CAMPAIGN.check(play, subject) == 2
    other = Play(
        DrawnScript((type(CLOSING)(Turn((Text("No."),))), CLOSING), TOOLS[:2]), play.wires, profile="pydantic-ai"
    )
    beside = subject.of_the_library(other)
    monkeypatch.setattr(LoopSubject, "of_the_library", lambda self, play: beside)
    with pytest.raises(Falsified, match="library"):
        CAMPAIGN.check(play, subject)
    subject.close()
