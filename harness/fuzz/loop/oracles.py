"""Judges the runs of one example, by the rules and by comparing the runs with each other."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from harness.finding import Finding
from harness.fuzz.campaign import Falsified
from harness.fuzz.loop.example import Play
from harness.fuzz.loop.library import outline
from harness.fuzz.loop.schemas import fits
from harness.fuzz.loop.story import Line, asked_last, history, results, story_of
from harness.rules.catalogue import RULES
from harness.runner.execute import Finished
from harness.scenario import Step, Tool, TurnStep
from harness.trace import RAISED, CallerRecord, Failure
from harness.wire import NATIVE_WIRES, Call, Conversation, FinishReason, Refusal, Turn
from harness.wire import wire as wire_named

_OWN: Final[Mapping[str, str]] = {
    "raises": "the loop itself does not crash: its user gets an error",
    "ends": "every run ends, in time and in one of the ways that runs end",
    "asks-on": "nothing is asked behind the answer after which there is nothing to ask",
    "stays": "nobody is asked but the endpoint",
    "results": "every result goes back to the model as its tool gave it",
    "pieces": "the events of a run do not depend on how the bytes of the answers are cut",
    "gives-up": "no error is reported where every answer was sound and its calls could be answered",
    "wires": "the same script is reported, and goes back, alike on all wires that can say it",
    "library": "the preset does what the library does that it is named after",
}

ORACLES: Final[Mapping[str, str]] = {**_OWN, **{rule.id: rule.statement for rule in RULES.values()}}
"""The oracles of this campaign, and every rule by its id."""

_BY_EXPECTATION: Final = {"expect/requests": "asks-on", "expect/outcome": "ends"}


def hold(play: Play, runs: Sequence[Finished], expected: frozenset[str], *, strictly: bool) -> None:
    """Raise ``Falsified`` for the first mistake in the runs of ``play``.

    Findings of the rules ``expected`` are known. ``strictly`` also counts those that are no MUST, and demands the same
    on every wire.
    """
    for run in runs:
        _hold_to_the_rules(run, expected, strictly=strictly)
        _hold_results(play, run)
        if "expect/requests" not in expected:
            _hold_ended(play, run)
    for wire in play.wires:
        alike = [run for run in runs if run.result.wire == wire and not _is_dialect_error(play, run)]
        _hold_alike("pieces", [(_case(run), story_of(run.trace)) for run in alike])
    if strictly:
        for run in runs:
            if not _is_dialect_error(play, run):
                _hold_on(play, run)
        _hold_wires(play, runs)


def _is_dialect_error(play: Play, run: Finished) -> bool:
    """Whether the run has ended with an error, which is right for a stream in a dialect."""
    return bool(play.dialect) and any(isinstance(record.event, Failure) for _, record in run.trace.events)


def _case(run: Finished) -> str:
    return f"{run.result.wire}, {run.result.chunking}, {run.result.target}"


# --- one run ------------------------------------------------------------------------------------------------


def _hold_to_the_rules(run: Finished, expected: frozenset[str], *, strictly: bool) -> None:
    if (error := run.result.error) is not None:
        late = error.startswith("The case did not end")
        raise Falsified("ends" if late else "raises", "a run that ends", f"{_case(run)}: {_last_line(error)}")
    if (blocked := run.result.blocked) and "target/network" not in expected:
        raise Falsified("stays", "requests only to the endpoint that it was given", f"{blocked[0]} ({_case(run)})")
    for each in run.result.findings:
        if each.rule == "expect/timeline":
            continue  # the run may end before a moment that was drawn
        if each.rule == "expect/outcome" and _is_cancelled_at_last(run):
            continue  # such a run ends as it likes
        counts = strictly or each.level == "MUST"
        if counts and each.id not in expected and each.rule not in expected:
            raise Falsified(_oracle(each), each.expected, f"{each.got} ({_case(run)})")


def _is_cancelled_at_last(run: Finished) -> bool:
    acts = [record.did for record in run.trace.records if isinstance(record, CallerRecord) and record.did != "say"]
    return acts[-1:] == ["cancel"]


def _last_line(error: str) -> str:
    """The last line of a traceback, or the first line of a message."""
    lines = [line for line in error.strip().splitlines() if line.strip()]
    return lines[-1] if error.startswith("Traceback") else lines[0]


def _oracle(evidence: Finding) -> str:
    return _BY_EXPECTATION.get(evidence.rule, evidence.rule)


def _hold_on(play: Play, run: Finished) -> None:
    """An error needs a reason: a failed answer, a limit that was reached, or a tool that failed too often."""
    failures = [record.event for _, record in run.trace.events if isinstance(record.event, Failure)]
    met = play.script.steps[: len(run.trace.exchanges)]
    sound = all(isinstance(step, TurnStep) and _is_sound(step) for step in met)
    bent = _bent(run.result.wire, play, (_odd_arguments,))
    if failures and sound and not bent and failures[0].kind not in _BY_CONTRACT and not _decides_in_vain(failures[0]):
        raise Falsified(
            "gives-up", "another request", f"error {failures[0].kind}: {failures[0].message} ({_case(run)})"
        )


def _decides_in_vain(failure: Failure) -> bool:
    """Whether the user has decided about calls that do not wait, which may be drawn."""
    return failure.kind == RAISED and failure.message.startswith("the scenario resolves ")


def _hold_ended(play: Play, run: Finished) -> None:
    """A complete answer without calls is the last one, unless the user continues."""
    if play.acts or play.runs or play.edits:
        return
    for number, step in enumerate(play.script.steps[: len(run.trace.exchanges) - 1], 1):
        if (
            isinstance(step, TurnStep)
            and _is_sound(step)
            and step.turn.stop is FinishReason.END
            and not step.turn.calls
        ):
            raise Falsified("asks-on", f"no request behind answer {number}, which is whole", f"one more ({_case(run)})")


def _is_sound(step: TurnStep) -> bool:
    return step.cut is None and step.turn.error is None and step.turn.ending == "complete"


_BY_CONTRACT: Final = frozenset({"turn-limit", "tool-retries"})
"""Errors that rules know to be right or wrong."""


# --- results ------------------------------------------------------------------------------------------------


def _hold_results(play: Play, run: Finished) -> None:
    if any(act.does == "cancel" for act in play.acts):
        return
    readable = run.result.wire in NATIVE_WIRES and not _bent(run.result.wire, play, (_odd_arguments,))
    asked = asked_last(run.trace) if readable else None
    if asked is None:
        return
    tools = {
        tool.declaration.name: tool for tool in play.script.tools if not tool.canonical and tool.kind == "function"
    }
    found = results(asked)
    for call in _calls(asked):
        tool = tools.get(call.name)
        output = found.get(call.id or "")
        if tool is None or output is None or not fits(call, tool):
            continue
        if not _contains(output, tool):
            raise Falsified("results", f"{call.name}: {_result_of(tool)}", f"{output[:200]} ({_case(run)})")


def _calls(asked: Conversation) -> Iterator[Call]:
    for message in asked.messages:
        yield from message.calls


def _result_of(tool: Tool) -> str:
    return json.dumps(tool.returns if tool.raises is None else tool.raises, ensure_ascii=False)[:200]


def _contains(output: str, tool: Tool) -> bool:
    """Whether a result that went back contains the tool's result: plain or as JSON, or as a member of an object."""
    if tool.raises is not None:
        return tool.raises in output or json.dumps(tool.raises)[1:-1] in output or _has(output, tool.raises)
    returned = tool.returns
    if returned is None and output in _NOTHING:
        return True
    return (isinstance(returned, str) and returned in output) or output == str(returned) or _has(output, returned)


_NOTHING: Final = ("", '""', "{}")
"""Other ways to send that a tool has returned nothing."""


def _has(output: str, value: Any) -> bool:
    try:
        found = json.loads(output)
    except ValueError:
        return False
    within = list(found.values()) if isinstance(found, dict) else []
    return any(_same(each, value) for each in (found, *within))


def _same(found: Any, value: Any) -> bool:
    return json.dumps(found, sort_keys=True) == json.dumps(value, sort_keys=True) or (
        isinstance(found, str) and found != value and _has_text(found, value)
    )


def _has_text(found: str, value: Any) -> bool:
    try:
        return bool(json.loads(found) == value)
    except ValueError:
        return isinstance(value, str) and value in found


# --- runs beside each other ---------------------------------------------------------------------------------


def _hold_wires(play: Play, runs: Sequence[Finished]) -> None:
    if any(act.when.characters or act.when.thinking for act in play.acts):
        return  # in how many pieces an answer comes is the wire's
    first = {run.result.wire: run for run in reversed(runs) if _can_carry(run.result.wire, play)}
    chosen = [first[wire] for wire in play.wires if wire in first]
    _hold_alike("wires", [(_case(run), story_of(run.trace)) for run in chosen])
    sent = [(run, asked_last(run.trace)) for run in chosen if run.result.wire in NATIVE_WIRES]
    _hold_alike("wires", [(_case(run), history(asked)) for run, asked in sent if asked is not None])


def hold_to_the_library(runs: Sequence[Finished], beside: Sequence[Finished]) -> None:
    """Raise ``Falsified`` if a run of the library asked for more or less, or sent back something else."""
    for theirs in beside:
        if theirs.result.error is not None:
            raise Falsified("library", "a run that ends", f"{_last_line(theirs.result.error)} ({_case(theirs)})")
        ours = next(run for run in runs if run.result.wire == theirs.result.wire)
        _hold_alike("library", [(_case(run), outline(run.trace)) for run in (theirs, ours)])


def _hold_alike(oracle: str, stories: Iterable[tuple[str, list[Line]]]) -> None:
    left = iter(stories)
    one = next(left, None)
    if one is None:
        return
    for name, story in left:
        if story != one[1]:
            at, (here, there) = next(
                (at, lines) for at, lines in enumerate(_line_pairs(one[1], story)) if lines[0] != lines[1]
            )
            raise Falsified(oracle, f"{_shown(here)} as line {at + 1} ({one[0]})", f"{_shown(there)} ({name})")


def _line_pairs(one: list[Line], other: list[Line]) -> Iterator[tuple[Line, Line]]:
    longest = max(len(one), len(other))
    for at in range(longest):
        yield (*one[at : at + 1], ("nothing",))[0], (*other[at : at + 1], ("nothing",))[0]


def _shown(line: Line) -> str:
    return json.dumps(line, ensure_ascii=False)[:200]


# --- what a wire cannot say ---------------------------------------------------------------------------------


def _can_carry(wire: str, play: Play) -> bool:
    """Whether a wire can express every step of the script as others do; if not, differences do not count."""
    return not _bent(wire, play, (_odd_arguments, _refusal)) and not any(map(_breaks_inside, play.script.steps))


def _bent(wire: str, play: Play, ways: Iterable[Callable[[Turn], bool]]) -> bool:
    """Whether a run that begins on ``wire`` uses a wire, this or a later one, that cannot express all of the script."""
    turns = [step.turn for step in play.script.steps if isinstance(step, TurnStep)]
    says_all = all(map(_says_all, (wire, *(each.wire for each in play.runs if each.wire))))
    return not says_all and any(way(turn) for way in ways for turn in turns)


def _says_all(wire: str) -> bool:
    speaks = wire_named(wire)
    return speaks.native and not speaks.object_arguments


def _breaks_inside(step: Step) -> bool:
    """The content of an event differs between wires, and so does the part of a turn before a break."""
    return isinstance(step, TurnStep) and step.cut is not None and step.cut.after > 0


def _odd_arguments(turn: Turn) -> bool:
    """Gemini and Anthropic have objects as arguments: other texts come as an error, or in an object."""
    return any(not _is_object(call.arguments) for call in turn.calls)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def _refusal(turn: Turn) -> bool:
    """Only OpenAI distinguishes a refusal from other text."""
    return any(isinstance(part, Refusal) for part in turn.parts)
