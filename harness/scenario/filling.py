"""Replaces placeholders in expectations with the values that tools have returned."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from harness.scenario.automaton import EventExpression
from harness.scenario.model import (
    Expect,
    ExpectedError,
    FinalExpect,
    ReportedExpect,
    ResultExpect,
    SentExpect,
    ToolRun,
    ValueExpect,
)
from harness.scenario.patterns import EventPattern
from harness.scenario.placeholders import Fill, filled_text, filled_value


def filled(expect: Expect, fill: Fill) -> Expect:
    """The expectations with the value of each placeholder. A placeholder without a value stays and fits no text."""
    if not expect.uses_results:
        return expect
    return replace(
        expect,
        events=None if expect.events is None else _events(expect.events, fill),
        final=None if expect.final is None else _final(expect.final, fill),
        sent=tuple(_sent(each, fill) for each in expect.sent),
        ran=tuple(_run(each, fill) for each in expect.ran),
        not_ran=tuple(_run(each, fill) for each in expect.not_ran),
        reported=tuple(_filled_report(each, fill) for each in expect.reported),
        results=tuple(_result(each, fill) for each in expect.results),
        error=None if expect.error is None else _error(expect.error, fill),
    )


def _words(words: tuple[str, ...], fill: Fill) -> tuple[str, ...]:
    return tuple(filled_text(each, fill) for each in words)


def _events(expression: EventExpression, fill: Fill) -> EventExpression:
    return replace(expression, positions=tuple(map(partial(_pattern, fill=fill), expression.positions)))


def _pattern(pattern: EventPattern, fill: Fill) -> EventPattern:
    constraints = tuple((field, filled_text(value, fill)) for field, value in pattern.constraints)
    return replace(pattern, constraints=constraints)


def _final(final: FinalExpect, fill: Fill) -> FinalExpect:
    equals = None if final.equals is None else filled_text(final.equals, fill)
    words = (_words(final.contains, fill), _words(final.lacks, fill), filled_text(final.says, fill))
    usage, output, *history = (
        {name: filled_value(each, fill) for name, each in members.items()}
        for members in (final.usage, final.output, *final.history)
    )
    return FinalExpect(equals, *words, usage, tuple(history), output)


def _error(error: ExpectedError, fill: Fill) -> ExpectedError:
    return replace(error, contains=filled_text(error.contains, fill), lacks=_words(error.lacks, fill))


def _sent(sent: SentExpect, fill: Fill) -> SentExpect:
    return replace(
        sent,
        contains=_words(sent.contains, fill),
        lacks=_words(sent.lacks, fill),
        once=_words(sent.once, fill),
        values={pointer: filled_value(each, fill) for pointer, each in sent.values.items()},
    )


def _run(run: ToolRun, fill: Fill) -> ToolRun:
    if run.arguments is None:
        return run
    return ToolRun(run.tool, {name: filled_value(each, fill) for name, each in run.arguments.items()})


def _value(value: ValueExpect, fill: Fill) -> ValueExpect:
    equals = tuple(filled_value(each, fill) for each in value.equals)
    members = {name: filled_value(each, fill) for name, each in value.members.items()}
    return ValueExpect(equals, _words(value.contains, fill), _words(value.lacks, fill), members)


def _filled_report(reported: ReportedExpect, fill: Fill) -> ReportedExpect:
    return replace(
        reported,
        input=None if reported.input is None else _value(reported.input, fill),
        output=None if reported.output is None else _value(reported.output, fill),
    )


def _result(result: ResultExpect, fill: Fill) -> ResultExpect:
    return replace(result, value=_value(result.value, fill))
