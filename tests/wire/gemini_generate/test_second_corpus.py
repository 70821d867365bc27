"""The second set of recorded traffic: nothing that was accepted is blamed, and no refusal is about the history."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from harness_lab.recorded.requests.judged import JudgedRequest
from harness_lab.recorded.requests.requests import judge_requests
from tests.recorded.corpus.shared_exchanges import all_exchanges


@cache
def judged(shared: Path) -> list[JudgedRequest]:
    exchanges = [one for one in all_exchanges(shared, "corpus2") if one.wire == "gemini-generate"]
    return [each.happened for each in judge_requests(exchanges)]


def test_nothing_that_was_accepted_breaks_a_certain_rule(shared: Path) -> None:
    accepted = [each for each in judged(shared) if each.accepted]
    assert len(accepted) > 10
    assert [(each.exchange.name, found.id) for each in accepted for found in each.judgement.violations] == []


def test_no_refusal_with_its_request_is_about_the_history(shared: Path) -> None:
    refused = [each for each in judged(shared) if not each.accepted]
    assert len(refused) > 10
    assert {each.exchange.status for each in refused if not each.message.startswith("The input token")} == {404}
    assert not any(each.about_history for each in refused)
