"""Recorded traffic: what the provider accepted breaks no certain rule, what it refused breaks the one that it named.

(``tests/recorded/corpus`` reads the responses.)
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import groupby
from pathlib import Path
from urllib.parse import urlsplit

from harness.cassette.recordings.recording import RecordedExchange
from harness.finding import Finding
from harness.wire import IssuedState, route_of
from harness.wire.anthropic_messages import WIRE
from tests.recorded.corpus.shared_exchanges import all_exchanges, exchanges
from tests.wire.anthropic_messages.histories import ROUTE, judge

LIKELY = {
    # The API took an id of Gemini's that names a call in two turns, each answered at once, so the rule is only likely
    # over turns: recording test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-...].
    "ANT-05": 2
}
"""How often accepted requests break a rule that is only likely, and why it stays."""


@cache
def recorded(shared: Path) -> tuple[RecordedExchange, ...]:
    """The requests of both sets, in the order of their files."""
    second = [each for each in all_exchanges(shared, "corpus2") if each.wire == "anthropic-messages"]
    return (*exchanges(shared, "anthropic-messages"), *sorted(second, key=lambda each: (each.file, each.index)))


def requests(shared: Path, *statuses: int) -> list[RecordedExchange]:
    return [each for each in recorded(shared) if each.request and each.status in statuses]


REPLACED = "messages_preserve_system_role_after_server_tool_result"
"""Its recorder has put other ids in the place of one and not of the other: a search has no result in it any more."""


def is_excused(each: RecordedExchange, violation: Finding) -> bool:
    return REPLACED in each.file and violation.id == "ANT-23"


def with_memory(recorded: list[RecordedExchange]) -> Iterator[tuple[RecordedExchange, list[Finding]]]:
    """Each request, judged with what the recorded responses before it in its file have said."""
    for _, in_file in groupby(recorded, key=lambda each: each.file):
        sent = IssuedState()
        for each in in_file:
            conversation = WIRE.resolve(WIRE.read(route_of(each.method, each.url) or ROUTE, each.request or b""), sent)
            yield each, WIRE.violations(conversation, sent)
            with suppress(ValueError):  # a gateway has ended its stream with [DONE]
                sent.add(conversation, WIRE.parse(each.headers.get("content-type", ""), each.response or b""))


def test_accepted_requests_keep_every_certain_rule(shared: Path) -> None:
    accepted = requests(shared, 200)
    assert len(accepted) == 315 + 152
    broken: Counter[str] = Counter()
    for each in accepted:
        conversation = WIRE.read(route_of(each.method, each.url) or ROUTE, each.request or b"")
        body = json.loads(each.request or b"")
        assert len(conversation.messages) == len(body["messages"]) + bool(body.get("system"))
        for violation in WIRE.violations(WIRE.resolve(conversation, IssuedState()), IssuedState()):
            if not is_excused(each, violation):
                assert violation.level != "MUST", (each.name, violation)
                broken[violation.id] += 1
    assert broken == LIKELY


def test_so_they_do_with_what_was_sent_before_them(shared: Path) -> None:
    judged = list(with_memory(requests(shared, 200)))
    assert len(judged) == 315 + 152
    told = [violation.id for each, found in judged for violation in found if not is_excused(each, violation)]
    assert Counter(told) == LIKELY


def test_requests_to_a_platform_keep_every_certain_rule(shared: Path) -> None:
    """Bedrock has the same bodies, with the model in the path; its streams have frames of their own."""
    invoked = [each for each in all_exchanges(shared, "corpus2") if each.api == "bedrock-invoke"]
    of_claude = [each for each in invoked if "anthropic.claude" in each.url]
    assert (len(invoked), [each.status for each in of_claude]) == (3, [200, 200])
    for each in of_claude:
        path = urlsplit(each.url).path.replace("invoke-with-response-stream", "invoke")
        route = WIRE.route("POST", path)
        assert route is not None
        assert WIRE.violations(WIRE.read(route, each.request or b""), IssuedState()) == []


TEXT_NOT_RECORDED = "prompt is too long: 3333404 tokens > 200000 maximum"
"""The recording has ``<MASSIVE_TEXT>`` in place of what was too long."""


def test_refused_requests_break_the_rule_that_the_provider_named(shared: Path) -> None:
    """Our text is the recorded text, word for word."""
    named: Counter[str] = Counter()
    for each in requests(shared, 400, 404):
        message = json.loads(each.response or b"")["error"]["message"]
        found = {
            violation.answered.message: violation
            for violation in WIRE.violations(
                WIRE.read(route_of(each.method, each.url) or ROUTE, each.request or b""), IssuedState()
            )
        }
        if message == TEXT_NOT_RECORDED:
            assert found == {}
            continue
        assert found[message].answered.status == each.status
        named[found[message].id] += 1
    assert named == {
        "ANT-01": 1,
        "ANT-09": 1,
        "ANT-12": 1,
        "ANT-22": 4,
        "ANT-29": 1,
        "ANT-36": 5,
        "ANT-FORMAT": 3,
        "ANT-MODEL": 16,
        "ANT-RANGE": 1,
    }


def test_a_turn_is_refused_for_the_order_of_its_blocks_alone(shared: Path) -> None:
    """The twin of what was refused has the text in front of the call, and is accepted."""
    twins = {
        status: each
        for status in (200, 400)
        for each in requests(shared, status)
        if "assistant-tool-order" in each.file
    }
    found = {status: judge(json.loads(each.request or b"")) for status, each in twins.items()}
    assert {status: [each.id for each in those] for status, those in found.items()} == {200: [], 400: ["ANT-01"]}
