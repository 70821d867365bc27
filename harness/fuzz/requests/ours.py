"""Checks our own wires with an example: their findings, memory, writing and refusals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final, TypeVar
from zlib import crc32

from harness.finding import Finding
from harness.fuzz.campaign import Falsified
from harness.fuzz.requests.changes import StatedChange
from harness.fuzz.requests.example import RequestExample, base_requests_by_name, change_of, last_request
from harness.fuzz.requests.loop import JudgedLoop, alone, loop_of, read
from harness.fuzz.requests.official import error_of
from harness.fuzz.requests.traced import findings
from harness.wire import Conversation, Identity, Text, ThinkingPart, Wire, wire_rules
from harness.wire.posted import Posted

Result = TypeVar("Result")

_LONGEST: Final = 400
"""Characters that a finding shows of a request at most."""

_THINKING_EXPECTED: Final = frozenset(["ANT-16", "OAC-19"])
"""Rules that demand the thinking: without the response, nobody can know that there was none."""

_SHARE: Final = 8
"""One of so many refusals is passed to the official SDK, which takes longer than everything else together."""


class Ours:
    """The default subject: the wires' own reading, writing and rules."""

    def hold(self, example: RequestExample) -> int:
        """Check an example. Returns how many requests were judged. Raises ``Falsified``."""
        return _safely(lambda: _held(example))


def _safely(work: Callable[[], Result]) -> Result:
    try:
        return work()
    except Falsified:
        raise
    except Exception as error:
        raise Falsified("raises", "no exception", f"{type(error).__name__}: {error}") from error


def _held(example: RequestExample) -> int:
    loop = _valid_loop(example)
    posted = last_request(example, loop.played)
    if posted is None:
        return 0
    judged = loop.judge(posted)
    if judged.remembering != judged.afresh:
        raise Falsified("remembers", _findings_text(judged.afresh), _findings_text(judged.remembering))
    _judges(example, judged.afresh, [] if _is_wrong(example) else alone(loop.wire, posted))
    for finding in judged.afresh:
        _check_texts(loop.wire, finding)
    if _is_wrong(example) or example.damage:
        return 1
    if judged.conversation is not None and not judged.conversation.aside:
        _writes(loop.wire, judged.conversation)
    if example.change or base_requests_by_name()[example.base].remembered:  # a trace does not say what only it knows
        return 1
    return _accepts(loop)


def _valid_loop(example: RequestExample) -> JudgedLoop:
    try:
        return loop_of(example)
    except AssertionError as broken:
        raise Falsified("accepts", "no finding in a loop without a mistake", str(broken)) from broken


def _accepts(loop: JudgedLoop) -> int:
    """Check the requests before the last one, and the whole loop as a trace."""
    for asked in loop.played.requests[:-1]:
        _writes(loop.wire, read(loop.wire, asked.posted))
    if found := findings(loop.played):
        raise Falsified("accepts", "no finding in the trace of a loop without a mistake", found[0])
    return len(loop.played.requests)


# --- what is found ----------------------------------------------------------------------------------------------


def _judges(example: RequestExample, found: Sequence[Finding], found_alone: Sequence[Finding]) -> None:
    """Check the findings of a reader who knows what was sent, and of one who sees the request alone."""
    change = change_of(example)
    if example.damage:
        return
    if change and change.is_wrong:
        if _knowable(example, change) and not {each.id for each in found} & set(change.rules):
            raise Falsified("finds", f"{' or '.join(change.rules)} for {change.stated.name}", _findings_text(found))
        return
    unseen = [each for each in found_alone if each.id not in _THINKING_EXPECTED or not _unthinking(example)]
    if base_requests_by_name()[example.base].remembered or (change and change.is_remembered):
        unseen = []
    for known, each_found in (("what was sent", found), ("the request alone", unseen)):
        if counted := [each for each in each_found if _counts(change, each)]:
            raise Falsified("spares" if change else "accepts", f"no finding, knowing {known}", _findings_text(counted))


def _is_wrong(example: RequestExample) -> bool:
    change = change_of(example)
    return change is not None and change.is_wrong


def _knowable(example: RequestExample, wrong: StatedChange) -> bool:
    """Whether a mistake can be recognised: in a foreign history only in the one that it was made for.

    Words that were sent in several turns identify none of them (``anthropic_messages.rules.issued``), so thinking that
    was moved from one such turn into another is not seen.
    """
    base = base_requests_by_name()[example.base]
    if base.foreign:
        return base.turns == example.turns
    return "ANT-15" not in wrong.rules or not _repeats_a_text(example)


def _repeats_a_text(example: RequestExample) -> bool:
    turns = [turn for turn in example.turns if not turn.calls]
    texts = [tuple([part.text for part in turn.parts if isinstance(part, Text)]) for turn in turns]
    return len(set(texts)) < len(texts)


def _unthinking(example: RequestExample) -> bool:
    """Whether the model has made a call without thinking before it."""
    first = [turn.parts[0] for turn in example.turns if turn.calls]
    return any(not isinstance(part, ThinkingPart) or part.form != "plain" for part in first)


def _counts(right: StatedChange | None, finding: Finding) -> bool:
    """Return whether a finding on an accepted request is a mistake.

    An INFO finding is no mistake if a permission is about the change, or if nobody refuses the request.
    """
    if right is None or finding.level != "INFO":
        return True
    return finding.answered.status >= 400 and not any(wire_rules()[rule].permits for rule in right.rules)


def _check_texts(wire: Wire, finding: Finding) -> None:
    """A finding must contain all that a person needs, and so must the provider's answer to the SDK."""
    answered = finding.answered
    texts = (answered.message, finding.expected, finding.got)
    if finding.id not in wire_rules() or not all(texts) or len(finding.got) > _LONGEST:
        raise Falsified(
            "explains", "a rule of the table, the expected and the actual value, in short", str(finding)[:600]
        )
    if answered.status < 400 or crc32(answered.message.encode("utf-8", "surrogatepass")) % _SHARE:
        return
    answer = wire.refuse(answered, Identity("fuzz"))
    kind, status, text = error_of(wire.name, answer)
    if status != answered.status or answered.message not in text:
        raise Falsified("refuses", f"HTTP {answered.status}: {answered.message}", f"{kind} {status}: {text}"[:600])


def _findings_text(found: Sequence[Finding]) -> str:
    return "; ".join(f"{each.id} at {each.answered.place or 'the body'}: {each.got}" for each in found) or "nothing"


# --- what is written --------------------------------------------------------------------------------------------


def _writes(wire: Wire, conversation: Conversation) -> None:
    written = wire.write(conversation)
    again = read(wire, Posted(written.path, {}, dict(conversation.headers), written.body))
    if replace(again, body={}) != replace(conversation, body={}):
        raise Falsified("writes", _text_of(conversation), _text_of(again))


def _text_of(conversation: Conversation) -> str:
    return str(replace(conversation, body={}, tools=()))[:2000]
