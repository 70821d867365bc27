"""Compiles the timeline of a scenario file into what the caller does, and checks it against the script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from harness.scenario.authored import CallerActEntry, ScenarioFile, TimelineEntry, WhenEntry
from harness.scenario.documents import Key, Location, Problem
from harness.scenario.model import CODING_AGENT, RESILIENT, Step, TurnStep
from harness.scenario.policies import round_of
from harness.scenario.timeline import CallerAct, NextRun, When
from harness.scenario.words import either
from harness.wire import ThinkingPart, WireName, wire

_AT_THE_END = ("compact", "resume", "model", "wire", "key", "resolve")
_WITH_A_MESSAGE = ("compact", "model", "wire", "key")


def next_runs(file: ScenarioFile, wires: Sequence[WireName], problem: Problem) -> tuple[NextRun, ...]:
    """The runs that follow the first one."""
    return tuple(_next_runs(file, wires, problem))


def _next_runs(file: ScenarioFile, wires: Sequence[WireName], problem: Problem) -> Iterator[NextRun]:
    if file.timeline and file.profile not in ("universal", RESILIENT, CODING_AGENT):
        remedy = "remove it, or use the profile 'universal'"
        expected = f"'timeline' only with profile 'universal', '{RESILIENT}' or '{CODING_AGENT}'"
        problem((Key("timeline"),), expected, f"profile '{file.profile}'", remedy)
    for index, entry in enumerate(file.timeline):
        if entry.when != "end":
            continue
        if not isinstance(entry.do, CallerActEntry):
            problem(("timeline", index, "do"), "a message of the user", "'cancel'", "a run that has ended goes on")
            continue
        if (entry.do.model or entry.do.wire) and len(wires) != 1:
            remedy = f"add 'wires: [{wires[0]}]', or the wire of the first run"
            problem(("timeline", index, "do"), "one wire, from which the run switches", f"{len(wires)} wires", remedy)
        does, place = entry.do, ("timeline", index, "do")
        for key in _WITH_A_MESSAGE if does.resolve else ():
            if key in does.model_fields_set:
                problem((*place, key), f"'{key}' only beside 'say'", "'resolve'", "let a run of its own come before")
        resolves = round_of(file, does.resolve or {}, (*place, "resolve"), problem)
        yield NextRun(
            does.say or "",
            bool(does.compact),
            bool(does.resume),
            does.model or "",
            does.wire or "",
            resolves,
            key=does.key is not None,
        )


def caller_acts(
    file: ScenarioFile, steps: Sequence[Step], wires: Sequence[WireName], problem: Problem
) -> tuple[CallerAct, ...]:
    """What the caller does while a run goes on."""
    whole = [name for name in wires if wire(name).whole_arguments]
    for index, entry in enumerate(file.timeline if whole else ()):
        when = entry.when
        if isinstance(when, WhenEntry) and when.call is not None and when.characters is not None:
            remedy = f"add 'wires', without {', '.join(whole)}"
            place = ("timeline", index, "when", "characters")
            problem(place, "wires on which arguments come piece by piece", f"{either(whole)} among them", remedy)
    return tuple(_caller_acts(file, steps, problem))


def _caller_acts(file: ScenarioFile, steps: Sequence[Step], problem: Problem) -> Iterator[CallerAct]:
    turns = [step for step in steps if isinstance(step, TurnStep)]
    for index, entry in enumerate(file.timeline):
        if not isinstance(entry.when, WhenEntry):
            continue
        place = ("timeline", index)
        when = _when(entry.when, turns, len(steps), (*place, "when"), problem)
        _check_file(file, entry.when, (*place, "when"), problem)
        yield CallerAct(when, *_done(entry, place, problem))


def _check_file(file: ScenarioFile, when: WhenEntry, place: Location, problem: Problem) -> None:
    """Check a moment's file. Only an agent has a work directory, and only its files show that a call has begun."""
    of_agent, profile = file.profile == CODING_AGENT, f"profile '{file.profile}'"
    if when.file is not None and not of_agent:
        problem((*place, "file"), f"'file' only with profile '{CODING_AGENT}'", profile, "name a call")
    if of_agent and when.call is not None and when.characters is None:
        remedy = "have the command make a file, and write {file: PATH}"
        problem((*place, "call"), "a moment that is seen from outside of an agent", "a call of its own tools", remedy)


def _done(entry: TimelineEntry, place: Location, problem: Problem) -> tuple[Literal["cancel", "say"], str]:
    if not isinstance(entry.do, CallerActEntry):
        return "cancel", ""
    for key in _AT_THE_END:
        if key in entry.do.model_fields_set:
            problem((*place, "do", key), f"'{key}' only with 'when: end'", "a run that goes on", f"remove '{key}'")
    return "say", entry.do.say or ""


def _when(entry: WhenEntry, turns: Sequence[TurnStep], requests: int, place: Location, problem: Problem) -> When:
    keys = sorted(entry.model_fields_set)
    if keys not in _FORMS:
        remedy = (
            "write {request: N}, {turn: N, characters: N}, {turn: N, thinking: N}, {file: PATH}, or {turn: N, call: N} "
            "with 'ended' or 'characters'"
        )
        problem(place, "a moment of a run", f"{', '.join(keys) or 'no key'}", remedy)
    elif entry.request is not None and entry.request > requests:
        problem((*place, "request"), f"at most {requests}, as the model has answers", str(entry.request), "correct it")
    elif entry.turn is not None:
        _check_turn(entry, turns, place, problem)
    return When(
        entry.request or 0,
        entry.turn or 0,
        entry.call or 0,
        entry.characters or 0,
        bool(entry.ended),
        entry.thinking or 0,
        entry.file or "",
    )


_FORMS = (
    ["request"],
    ["file"],
    ["characters", "turn"],
    ["thinking", "turn"],
    ["call", "turn"],
    ["call", "ended", "turn"],
    ["call", "characters", "turn"],
)


def _check_turn(entry: WhenEntry, turns: Sequence[TurnStep], place: Location, problem: Problem) -> None:
    assert entry.turn is not None  # noqa: S101 - the caller has looked
    if entry.turn > len(turns):
        problem((*place, "turn"), f"at most {len(turns)}, as the model has turns", str(entry.turn), "correct it")
        return
    turn = turns[entry.turn - 1].turn
    if entry.call is not None and entry.call > len(turn.calls):
        got = f"{entry.call}"
        problem((*place, "call"), f"at most {len(turn.calls)}, as turn {entry.turn} has calls", got, "correct it")
        return
    thought = "".join(part.text for part in turn.parts if isinstance(part, ThinkingPart))
    _check_size("thinking", entry.thinking, "thinking has", thought, place, problem)
    if entry.call is None:
        _check_size("characters", entry.characters, "text has", turn.text, place, problem)
    else:
        arguments = turn.calls[entry.call - 1].arguments
        _check_size("characters", entry.characters, "arguments have", arguments, place, problem)


def _check_size(key: str, wanted: int | None, has: str, whole: str, place: Location, problem: Problem) -> None:
    if wanted is not None and wanted > len(whole):
        problem((*place, key), f"at most {len(whole)}, as the {has} characters", str(wanted), "correct it")
