"""The table of servers against the recordings that it names: each shows what it is said to show."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path

import pytest

from harness.cassette.recordings.recording import RecordedExchange
from harness.lint import host_of, message_of
from harness.wire import IssuedState, UnreadableRequest, route_of, wire
from harness.wire.servers import (
    SERVERS,
    Practice,
    RefusalReason,
    Server,
    detected,
    named,
    refusal_reason,
    refusal_reasons,
)
from harness_lab.recorded.requests.confusion import refusals
from harness_lab.recorded.requests.judged import JudgedRequest
from tests.recorded.corpus.shared_exchanges import all_exchanges, judged_requests

_THINKS = "deepseek-v4-flash"
_ASKED_OF = {"OAC-19": "deepseek", "OAI-14": "openai"}
"""The server whose statement a rule is, where that is not the provider."""


def recording(evidence: str) -> str:
    return evidence.removeprefix("recording ") if evidence.startswith("recording ") else ""


PRACTICES = [
    pytest.param(server, practice, name, id=f"{server.name}-{practice.rule}")
    for server in SERVERS.values()
    for practice in server.practices
    for each in practice.evidence
    if (name := recording(each))
]
RECORDED_REASONS = [
    pytest.param(reason, name, id=f"{reason.kind}-{reason.server}-{name}")
    for reason in refusal_reasons()
    if (name := recording(reason.evidence))
]


@cache
def named_exchanges(shared: Path, name: str) -> tuple[RecordedExchange, ...]:
    """The exchanges of the recordings whose file has this name, without what is behind its last dot."""
    exchanges = (*all_exchanges(shared), *all_exchanges(shared, "corpus2"))
    return tuple(each for each in exchanges if Path(each.file).name.startswith(name))


def is_of(server: Server, exchange: RecordedExchange) -> bool:
    """By its host or its answer, else by the folder that its recorder has for the server."""
    found = detected(host=host_of(exchange.url), headers=frozenset(exchange.headers), answer=exchange.response)
    return found.server is server if found else f"/{server.name.replace('.', '')}/" in exchange.file


def breaks(practice: Practice, exchange: RecordedExchange) -> bool:
    """Whether the request breaks the rule, judged as the server reads it whose rule it is, by a name of its own."""
    route = route_of(exchange.method, exchange.url)
    if route is None or exchange.request is None:
        return False
    body = json.loads(exchange.request)
    is_thinking = practice.rule == "OAC-19"
    body["model"] = _THINKS if is_thinking else str(body.get("model") or "").rpartition("/")[2]
    if practice.rule == "OAC-MODEL":
        del body["model"]
    owner = named(_ASKED_OF.get(practice.rule, "openai"))
    try:
        conversation = wire(route.wire).read(route, json.dumps(body).encode())
    except UnreadableRequest as unreadable:
        return unreadable.finding.id == practice.rule
    found = wire(route.wire, (), owner).violations(conversation, IssuedState())
    return practice.rule in [each.id for each in found]


@pytest.mark.parametrize(("server", "practice", "name"), PRACTICES)
def test_a_recording_shows_what_the_server_does(server: Server, practice: Practice, name: str, shared: Path) -> None:
    there = [each for each in named_exchanges(shared, name) if is_of(server, each)]
    if practice.does == "accepts":
        assert any(each.status < 300 and breaks(practice, each) for each in there)
    else:
        assert any(each.status >= 400 for each in there)


@pytest.mark.parametrize(("reason", "name"), RECORDED_REASONS)
def test_a_recorded_refusal_has_its_reason(reason: RefusalReason, name: str, shared: Path) -> None:
    refused = [each for each in named_exchanges(shared, name) if each.status >= 400]
    found = [each for each in refused if refusal_reason(message_of(each.response)) is reason]
    assert found
    assert not reason.server or any(is_of(SERVERS[reason.server], each) for each in found)


@cache
def judged(shared: Path) -> tuple[JudgedRequest, ...]:
    found = (*judged_requests(shared), *judged_requests(shared, "corpus2"))
    return tuple(each.happened for each in found)


def test_no_answered_request_of_either_corpus_is_blamed(shared: Path) -> None:
    """Nor by a certain rule before its answer is looked at, but for what recorders have replaced."""
    answered = [each for each in judged(shared) if each.accepted]
    assert len(answered) == 2 * 2676
    blamed = [each for each in answered if any(found.level == "MUST" for found in each.judgement.violations)]
    assert [each.exchange.name for each in blamed] == []
    against = [each for each in answered if any(found.level == "MUST" for found in each.judgement.accepted)]
    assert {each.exchange.fidelity for each in against} == {"normalised"}


def test_every_host_of_a_recording_has_a_server(shared: Path) -> None:
    hosts = {host_of(each.exchange.url) for each in judged(shared)}
    unknown = {host for host in hosts if host and detected(host=host) is None}
    assert all(re.match(r"localhost|127\.0\.0\.1", host) for host in unknown)
    assert len(hosts - unknown) >= 30


def test_no_refusal_of_either_corpus_is_left_without_a_word(shared: Path) -> None:
    """A rule by the request or by the text, or what kind of refusal it is."""
    found = list(refusals(judged(shared)))
    silent = [each.message for each in found if (each.by_request, each.by_text, each.reason) == ("none", "none", "")]
    assert silent == []
