"""Recorded refusals beside their rules: the table, what is left out of it, and the page of the shared recordings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness_lab.recorded.requests.confusion import Refusal, page, refusals
from harness_lab.recorded.requests.requests import judge_requests
from tests.recorded.corpus.recordings import recorded
from tests.recorded.corpus.shared_exchanges import judged_requests

ROOT = Path(__file__).resolve().parents[3]
EMPTY = "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
WITHOUT = [{"role": "user", "content": "q"}]


def refused(message: str, messages: list[dict[str, str]], status: int = 400) -> RecordedExchange:
    request = json.dumps({"model": "gpt-4o", "messages": messages}).encode()
    body = json.dumps({"error": {"message": message, "type": "invalid_request_error"}}).encode()
    return recorded("openai-chat", body, request=request, provider="openai", status=status)


def found(*exchanges: RecordedExchange) -> list[Refusal]:
    return list(refusals(each.happened for each in judge_requests(exchanges)))


def test_a_refusal_has_the_rule_of_its_request_and_that_of_its_text() -> None:
    (right,) = found(refused(EMPTY, []))
    assert right == Refusal("openai-chat", "OAC-01", "OAC-01", EMPTY, server="OpenAI")
    (other,) = found(refused(EMPTY, WITHOUT))
    assert (other.by_request, other.by_text) == ("none", "OAC-01")
    (unknown,) = found(refused("messages: no", []))
    assert (unknown.by_request, unknown.by_text) == ("none", "none")


def test_keys_quota_faults_and_answers_are_no_refusals_of_a_request() -> None:
    assert found(*(refused(EMPTY, [], status) for status in (200, 401, 402, 403, 429, 500, 529))) == []


def test_the_page_counts_what_both_judges_find() -> None:
    every = found(refused(EMPTY, []), refused(EMPTY, WITHOUT), refused("see https://a.b/c | d", WITHOUT))
    text = page(every)
    assert "3 refusals: both judges find a rule in 1 of them, the same in 1.\n" in text
    assert "| openai-chat | OAC-01 | OAC-01 | 1 |\n| openai-chat | none | OAC-01 | 1 |\n" in text
    assert "1 refusals, 1 texts, by reason: none 1.\n" in text
    assert "| none | openai-chat | OpenAI | `` see … &#124; d `` | 1 |\n" in text


def test_a_refusal_for_what_the_model_cannot_do_has_that_for_its_reason() -> None:
    (one,) = found(refused("This model does not support the 'logprobs' parameter.", WITHOUT))
    assert (one.by_request, one.by_text, one.reason, one.server) == (
        "none",
        "none",
        "ability: log probabilities",
        "OpenAI",
    )


@pytest.mark.exhaustive
def test_the_page_is_that_of_the_shared_recordings(shared: Path) -> None:
    judged = [one for name in ("corpus", "corpus2") for one in judged_requests(shared, name)]
    kept = (ROOT / "docs" / "rules" / "recorded-refusals.md").read_text(encoding="utf-8")
    assert page(refusals(each.happened for each in judged)) == kept, "run scripts/refusals"
