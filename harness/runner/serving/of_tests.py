"""Joins the conversations of a test into one case, with all their findings and requests."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Final

from harness.endpoint.grouping import GroupedRound
from harness.endpoint.suite import Outcome, Suite
from harness.finding import Finding, conversation_name, line_of, record_of
from harness.rules.unanswered import UNFINISHED
from harness.runner.execute import Finished
from harness.runner.results import CaseResult, ConversationCount, trace_name
from harness.trace import MAIN, EventRecord, Record, RequestRecord, ResponseRecord, Trace

_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.=-]+")
_READABLE: Final = 100
"""Most characters of a test's name in the name of its trace."""

_MOST_NAMED: Final = 5
"""Most tests that a note names."""


@dataclass(frozen=True, slots=True)
class FinishedTest(Finished):
    """The judged requests of a test on one wire.

    ``test`` is its name, empty for a conversation outside of tests; ``outcome`` is how the test ended, None if that was
    not reported.
    """

    test: str = ""
    outcome: Outcome | None = None


@dataclass(frozen=True, slots=True)
class JudgedRound:
    """A round and its results. ``conversations`` are all of the round, each with its number in its trace."""

    round: GroupedRound
    finished: Finished
    conversations: Sequence[tuple[int | None, ConversationCount]]


class Naming:
    """The ids of cases of one offer: ``automatic.openai-chat.tests/test_a.py::test_b``.

    If no test made a request, the ids have the numbers of conversations. ``seen``: some test did.
    """

    def __init__(self, *, seen: bool) -> None:
        self._seen = seen
        self._outside: Counter[str] = Counter()

    def id(self, result: CaseResult, test: str) -> str:
        """The id of the case that this result belongs to, or that begins with it."""
        stem = f"{result.scenario}.{result.wire}"
        if test:
            return f"{stem}.{test}"
        if not self._seen:
            return result.id
        self._outside[stem] += 1
        return f"{stem}.outside-tests.{self._outside[stem]}"


def has_passed(round: GroupedRound, suite: Suite) -> bool:
    """Whether tests made all requests of this round, and all these tests have passed.

    If such a test leaves a call open, it does so on purpose: the test itself determines the right outcome.
    """
    parts = [round.test, *(test for _, test in round.other)]
    return all(test and suite.outcomes.get(test) == "passed" for test in parts)


def is_over(round: GroupedRound, suite: Suite, *, ended: bool) -> bool:
    """Whether the tests of this round have reached their end; ``ended``: the whole program has.

    A test that failed or was aborted might have sent more requests.
    """
    if any(suite.outcomes.get(test) in ("failed", "skipped") for test in round.tests):
        return False
    return ended or has_passed(round, suite)


def excused(found: Sequence[Finding]) -> tuple[list[Finding], list[str]]:
    """The findings of a passed test without calls that it leaves open; each of these becomes a note.

    The test itself determines the right outcome of the call.
    """
    left = dict.fromkeys(finding.expected for finding in found if finding.rule == UNFINISHED)
    notes = [f"a test has passed without {expected}: it may want the calls alone" for expected in left]
    return [finding for finding in found if finding.rule != UNFINISHED], notes


def unless_first(found: Sequence[Finding], trace: Trace) -> list[Finding]:
    """The findings without open calls of the first answer: the same request was sent twice, and the program continued
    from the other answer."""
    at = trace.exchanges[0].response_at
    first = None if at is None else line_of(at)
    return [finding for finding in found if (finding.rule, finding.at) != (UNFINISHED, first)]


def in_one(rounds: Sequence[JudgedRound], id: str, test: str, outcome: Outcome | None) -> FinishedTest:
    """Join the rounds of one test, in the order in which they began, into one case with this id."""
    first = rounds[0].finished
    case = first.trace.case if id == first.trace.case.id else replace(first.trace.case, id=id)
    file = trace_name(f"{case.scenario}.{case.wire}.{_safe(test)}" if test else id)
    joined = _Joined()
    for each in rounds:
        joined.add(each)
    results = [each.finished.result for each in rounds]
    whole = results[0].conversations if len(rounds) == 1 else tuple(joined.conversations)
    result = replace(
        results[0],
        id=id,
        trace=file,
        verdict="fail" if joined.findings else "pass",
        seconds=round(sum(each.seconds for each in results), 6),
        requests=sum(each.requests for each in results),
        findings=tuple(joined.findings),
        conversations=whole,
        notes=tuple(dict.fromkeys([*(note for each in results for note in each.notes), *joined.notes])),
        names=tuple(sorted({name for each in results for name in each.names})),
    )
    alike = len(rounds) == 1 and case is first.trace.case
    trace = first.trace if alike else replace(first.trace, case=case, records=tuple(joined.records))
    return FinishedTest(result, trace, test, outcome)


class _Joined:
    """Rounds joined like conversations of one case, with new line numbers and conversation numbers."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.findings: list[Finding] = []
        self.conversations: list[ConversationCount] = []
        self.notes: list[str] = []
        self._exchanges = 0
        self._numbers = 0
        self._seconds = 0.0

    def add(self, judged: JudgedRound) -> None:
        trace, lines = judged.finished.trace, len(self.records)
        # The first round is unchanged; nearly all cases have only one.
        self.records += [self._shifted_record(record) for record in trace.records] if lines else trace.records
        findings = judged.finished.result.findings
        self.findings += [self._at(_asked_in(finding, trace, judged.round), lines) for finding in findings]
        self.conversations += [
            replace(count, name=self._name(number, count.name)) for number, count in judged.conversations
        ]
        self.notes += _went_on(judged.round, self._exchanges)
        self._exchanges += len(trace.exchanges)
        self._numbers += 1 + max((number or MAIN for number, _ in judged.conversations), default=MAIN)
        self._seconds += trace.records[-1].at if trace.records else 0.0

    def _shifted_record(self, record: Record) -> Record:
        at = record.at + self._seconds
        match record:
            case RequestRecord():
                number = None if record.conversation is None else record.conversation + self._numbers
                follows = None if record.follows is None else record.follows + self._exchanges
                exchange = record.exchange + self._exchanges
                return replace(record, at=at, exchange=exchange, conversation=number, follows=follows)
            case ResponseRecord():
                return replace(record, at=at, exchange=record.exchange + self._exchanges)
            case EventRecord():
                latest = None if record.exchange is None else record.exchange + self._exchanges
                return replace(record, at=at, exchange=latest, conversation=record.conversation + self._numbers)
            case _:
                return replace(record, at=at)

    def _at(self, finding: Finding, lines: int) -> Finding:
        """The finding with the lines and the conversation of the case."""
        at, since, answer = (
            None if line is None else line + lines for line in (finding.at, finding.since, finding.answer)
        )
        conversation = self._conversation(finding.conversation)
        return replace(finding, at=at, since=since, answer=answer, conversation=conversation)

    def _conversation(self, name: str) -> str:
        if not self._numbers:
            return name
        number = 0 if not name else int(name.removeprefix("side ")) if name.startswith("side ") else None
        return name if number is None else conversation_name(number + self._numbers)

    def _name(self, number: int | None, name: str) -> str:
        return name if number is None or not self._numbers else conversation_name(number + self._numbers)


def _asked_in(finding: Finding, trace: Trace, round: GroupedRound) -> Finding:
    """The finding; it names the test that asked, if another test began the round."""
    record = None if finding.at is None or not round.other else trace.records[record_of(finding.at)]
    if not isinstance(record, RequestRecord | ResponseRecord):
        return finding
    test = next((test for first, test in reversed(round.other) if first <= record.exchange), round.test)
    if test == round.test:
        return finding
    return replace(finding, detail="; ".join(filter(None, [f"asked {_where(test)}", finding.detail])))


def _where(test: str) -> str:
    return f"in {test}" if test else "outside of tests"


def _went_on(round: GroupedRound, before: int) -> Iterator[str]:
    """Notes on other tests that continued a conversation; ``before`` is the number of earlier requests of the case."""
    passages = round.other[:_MOST_NAMED]
    for exchange, test in passages:
        yield f"from request {before + exchange + 1} on the conversation was continued {_where(test)}"
    if len(round.other) > len(passages):
        yield f"the conversation was continued in {len(round.other)} tests in all"


def _safe(test: str) -> str:
    """The name of a test as a unique part of a file name."""
    digest = sha256(test.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_UNSAFE.sub('-', test)[:_READABLE].strip('-')}-{digest}"
