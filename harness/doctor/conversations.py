"""Whether a loop keeps a conversation, as its target declares: short cases of several runs, one for each capability.

A driver that does not connect such a thing (it forgets what was said, it hears of no cancel) would make every case that
needs it look wrong. So these cases are then left out, as those are that a loop does not declare.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final, Literal

from harness.doctor.cases import ANSWER, CALL
from harness.doctor.ran import Check, Flaw, Ran, as_one
from harness.rules import TraceView, judge
from harness.runner.findings import HUNG
from harness.scenario import CallerAct, NextRun, Scenario, TurnStep, When
from harness.targets import Capability
from harness.wire import Text, Turn

_NEXT: Final = "And what is the capital of Sweden?"
_WISH: Final = "Answer in degrees Fahrenheit, please."
_FIRST_CALL: Final = When(turn=1, call=1)


def _two_run_scenario(name: str, summary: str, *, resumed: bool) -> Scenario:
    steps = (*ANSWER.steps, TurnStep(Turn((Text("Stockholm is the capital of Sweden."),))))
    runs = (NextRun(_NEXT, resumed=resumed),)
    return replace(ANSWER, name=f"calibration-{name}", summary=summary, steps=steps, runs=runs)


_FOLLOW_UP: Final = _two_run_scenario("follow-up", "The user asks something else after the answer.", resumed=False)
_RESUME: Final = _two_run_scenario("resume", "Another process goes on with the conversation.", resumed=True)
_CANCEL: Final = replace(
    CALL,
    name="calibration-cancel",
    summary="The caller cancels the run while a tool runs.",
    acts=(CallerAct(_FIRST_CALL, "cancel"),),
)
_STEER: Final = replace(
    CALL,
    name="calibration-steer",
    summary="The user says something while a tool runs.",
    acts=(CallerAct(_FIRST_CALL, "say", _WISH),),
)

_OF: Final[Mapping[Capability, Scenario]] = {
    "follow-up": _FOLLOW_UP,
    "cancel": _CANCEL,
    "steer": _STEER,
    "resume": _RESUME,
}

CONVERSATION_CHECKS: Final = (
    Check(
        "driver/follow-up",
        "the first request of another run has what was said before, and what the user says next",
        "keep the messages in 'case.state', and begin each run with those that are there and with 'case.prompt'",
    ),
    Check(
        "driver/cancel",
        "a run that is cancelled while a tool runs ends, and does nothing more",
        "let the cancel through to where the loop waits, or name what ends the run with 'case.on_cancel'",
    ),
    Check(
        "driver/steer",
        "what the user says while a tool runs is in the next request",
        "take it with 'case.on_say', and hand it to the loop before its next request",
    ),
    Check(
        "driver/resume",
        "a run goes on in another process with nothing but what is in its state, which is JSON",
        "put into 'case.state' what the loop needs to go on, as JSON: messages as the client sends them",
    ),
)

CAPABILITY_OF: Final[Mapping[str, Capability]] = {f"driver/{capability}": capability for capability in _OF}
"""What a loop lacks that has failed a check."""


def conversations(declared: frozenset[Capability]) -> Sequence[Scenario]:
    """The cases for what is declared. One that resumes needs another run, too."""
    able = declared if "follow-up" in declared else declared - {"resume"}
    return [scenario for capability, scenario in _OF.items() if capability in able]


def check_of(scenario: Scenario) -> str:
    """The check that the case is for; empty for any other."""
    return next((f"driver/{capability}" for capability, each in _OF.items() if each is scenario), "")


Level = Literal["MUST", "INFO"]


def conversation_flaws(ran: Ran) -> Iterator[Flaw]:
    """What a case of several runs shows."""
    check = check_of(ran.scenario)
    hung = next((each for each in ran.finished.result.findings if each.rule == HUNG), None)
    level: Level = "INFO" if ran.scenario is _CANCEL else "MUST"  # a loop may be deaf to it: its cases show that
    if ran.error or hung is not None:
        yield Flaw(check, ran.scenario.summary, ran.error if hung is None else hung.got, level)
    elif ran.scenario is _CANCEL:
        found = next(iter(judge(ran.view, ["caller/cancelled"])), None)
        if found is not None:
            yield Flaw(check, found.expected, found.got, level)
    else:
        yield from _memory_flaws(ran, check)


def _memory_flaws(ran: Ran, check: str) -> Iterator[Flaw]:
    """Whether the last request has what it must have."""
    wanted = [_WISH] if ran.scenario is _STEER else [ANSWER.prompt[-1][1], _answer(), _NEXT]
    whole = TraceView(as_one(ran.finished.trace))  # who forgets what was said begins another conversation
    at = next((place for place, _ in whole.acts), None)
    if at is None:
        return  # a program with tools of its own: there was no moment at which something could be said
    asked = [ask.full for ask in whole.asks if ask.at > at and ask.full is not None]
    if not asked:
        yield Flaw(check, f"a request with {wanted[-1]!r}", "no further request")
        return
    history = _plain("".join(message.text for message in asked[-1].messages))
    if missing := [text for text in wanted if _plain(text) not in history]:
        yield Flaw(check, f"{missing[0]!r} in the last request", "a request without it")


def _plain(text: str) -> str:
    """Without spaces: a text may go back in the pieces in which it came."""
    return "".join(text.split())


def _answer() -> str:
    (step,) = ANSWER.steps
    assert isinstance(step, TurnStep)  # noqa: S101 - it is written so
    return step.turn.text
