"""Recorded responses under the rules about servers: no provider's own breaks a MUST."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from harness_lab.recorded.responses import JudgedResponse, blamed, judge_responses, response_report
from harness_lab.recorded.responses.judged import TRIMMED
from tests.conftest import SHARED
from tests.recorded.corpus.recordings import recorded
from tests.recorded.corpus.shared_exchanges import all_exchanges

needs_corpus = pytest.mark.skipif(not (SHARED / "corpus2").is_dir(), reason="the recordings are not in the repository")

TWICE = (
    b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}],"model":"gpt-4.1"}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"model":"gpt-4.1"}\n\n'
    b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"length"}],"model":"gpt-4.1"}\n\n'
    b"data: [DONE]\n\n"
)


def judged(shared: Path) -> Iterator[JudgedResponse]:
    for corpus in ("corpus", "corpus2"):
        yield from judge_responses(all_exchanges(shared, corpus))


@needs_corpus
@pytest.mark.slow
def test_no_providers_own_response_breaks_a_must() -> None:
    responses = list(judged(SHARED))
    wrong = [f"{each.name}: {finding}" for each in responses if blamed(each) for finding in each.findings]
    assert wrong == []
    own = [each for each in responses if each.own]
    assert len(own) > 2300
    assert len({each.wire for each in own}) == 6


@needs_corpus
def test_every_recording_that_is_left_out_is_there() -> None:
    files = [each.file for corpus in ("corpus", "corpus2") for each in all_exchanges(SHARED, corpus)]
    assert [end for end in TRIMMED if not any(file.endswith(end) for file in files)] == []


def test_a_broken_response_of_a_provider_is_reported() -> None:
    exchange = recorded("openai-chat", TWICE, url="https://api.openai.com/v1/chat/completions")
    (response,) = judge_responses([exchange])
    assert response.own
    assert blamed(response)
    lines = list(response_report([response]))
    assert lines[-1] == "1 responses of providers' own: 1 break a MUST"
    assert any("SC-09" in line for line in lines)


def test_that_of_another_server_is_its_own_affair() -> None:
    exchange = recorded("openai-chat", TWICE, url="https://openrouter.ai/api/v1/chat/completions")
    (response,) = judge_responses([exchange])
    assert [finding.reference for finding in response.findings] == ["SC-09"]
    assert not blamed(response)
