"""Predicates about a recorded run, with which reasons decide where they apply."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any

from harness.imports.comparison import Reason
from harness.loop.html import page_of
from harness.scenario import CANONICAL
from harness.trace import Assistant, Event, Failure, Final, SetCode, ToolResult, ToolStart, Trace
from harness.wire import NativeWireName, wire
from harness_lab.recorded.run import HttpAnswer, ModelAnswer, RecordedRun, ScriptedPart

_NO_JSON = object()


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """A recorded run and its trace."""

    run: RecordedRun
    trace: Trace

    @property
    def name(self) -> str:
        """The name of the recording."""
        return self.run.name

    @property
    def answers(self) -> tuple[ModelAnswer, ...]:
        """The turns of the model that the run reached, without HTTP errors."""
        came = self.run.script[: len(self.run.exchanges)]
        return tuple(answer for answer in came if isinstance(answer, ModelAnswer))

    @property
    def calls(self) -> list[ScriptedPart]:
        """The calls in these turns."""
        return [part for answer in self.answers for part in _calls(answer)]

    @property
    def contents(self) -> list[str]:
        """The contents of files that the model wrote in complete turns."""
        calls = (call for answer in self.answers if answer.cut_after is None for call in _calls(answer))
        found = (_arguments(call.text) for call in calls if call.name == "create_file")
        return [each["content"] for each in found if isinstance(each, dict) and isinstance(each.get("content"), str)]

    @property
    def events(self) -> Iterator[Event]:
        """What the user was shown."""
        return (record.event for _, record in self.trace.events)

    def shown(self, name: str) -> Iterator[dict[str, Any]]:
        """The outputs of a tool's successful results."""
        for event in self.events:
            match event:
                case ToolResult(_, tool, dict(output), True) if tool == name:
                    yield output

    @property
    def previews(self) -> list[str]:
        """The previews of code, in order."""
        return [event.code for event in self.events if isinstance(event, SetCode) and event.preview]


When = Callable[[PlayedRun], bool]


def reason(why: str, *clauses: tuple[When, tuple[str, ...]]) -> Reason[PlayedRun]:
    """A reason that explains the places of each clause whose predicate is true of a run."""

    def explains(played: PlayedRun) -> tuple[str, ...]:
        found = (places for when, places in clauses if when(played))
        return tuple(dict.fromkeys(chain.from_iterable(found)))

    return Reason(why, explains)


# --- predicates of predicates -------------------------------------------------------------------------------


def all_of(*predicates: When) -> When:
    """Whether every predicate is true."""
    return lambda played: all(each(played) for each in predicates)


def unless(*predicates: When) -> When:
    """Whether no predicate is true."""
    return lambda played: not any(each(played) for each in predicates)


def on(*wires: NativeWireName) -> When:
    """Whether the run was recorded on one of ``wires``."""
    return lambda played: played.run.wire in wires


# --- what the model sent ------------------------------------------------------------------------------------


def some_answer(is_so: Callable[[ModelAnswer], bool]) -> When:
    """Whether any turn of the model satisfies the predicate."""
    return lambda played: any(is_so(answer) for answer in played.answers)


def last_answer(is_so: Callable[[ModelAnswer], bool]) -> When:
    """Whether the last turn of the model in the run satisfies the predicate."""
    return lambda played: any(is_so(answer) for answer in played.answers[-1:])


def call_of(name: str) -> When:
    """Whether the model called the tool ``name``."""
    return lambda played: any(call.name == name for call in played.calls)


def without_calls(answer: ModelAnswer) -> bool:
    """Whether a turn has no call."""
    return not _calls(answer)


def call_without(member: str, *values: str | None) -> When:
    """Whether a call has one of ``values`` (null, the empty text) as its id or name."""
    return lambda played: any(getattr(call, member) in values for call in played.calls)


def same_id_twice(played: PlayedRun) -> bool:
    """Whether two calls of one turn have the same id."""
    ids = [[call.id for call in _calls(answer) if call.id] for answer in played.answers]
    return any(len(set(each)) < len(each) for each in ids)


def some_argument(is_so: Callable[[dict[str, Any]], bool]) -> When:
    """Whether the arguments of any call are an object that satisfies the predicate."""
    return lambda played: any(
        isinstance(arguments, dict) and is_so(arguments) for arguments in map(_arguments, _texts(played))
    )


def null_arguments(played: PlayedRun) -> bool:
    """Whether the arguments of a call are the JSON value null."""
    return any(_arguments(text) is None for text in _texts(played))


def unfinished_arguments(played: PlayedRun) -> bool:
    """Whether the arguments of a call are no JSON."""
    return any(map(_is_broken, _texts(played)))


def no_json(*, breaks_off: bool) -> When:
    """Whether the arguments of a call are no JSON, because they break off, or from their beginning."""
    return lambda played: any(_breaks_off(text) is breaks_off for text in _texts(played) if _is_broken(text))


def cut_off_call(name: str) -> When:
    """Whether a turn stopped at its token limit inside or after a call of the tool ``name``."""
    return some_answer(lambda answer: answer.finish == "length" and any(call.name == name for call in _calls(answer)))


def escaped_key(played: PlayedRun) -> bool:
    """Whether the name of the content is spelled with an escape in arguments that were streamed."""
    streamed = (part.text for answer in played.answers if answer.deltas for part in _calls(answer))
    return not wire(played.run.wire).whole_arguments and any(
        '"content"' not in text and "content" in arguments
        for text in streamed
        if isinstance(arguments := _arguments(text), dict)
    )


def made_no_file(played: PlayedRun) -> bool:
    """Whether complete turns contain no file: no content in a call, and no page in the text."""
    whole = all(answer.finish == "stop" and answer.ending == "complete" for answer in played.answers)
    return whole and not any(played.contents) and last_text_is_the_code(played)


# --- what the engine did ------------------------------------------------------------------------------------


def crashed(played: PlayedRun) -> bool:
    """Whether the run ended with an exception of the engine itself."""
    return any(isinstance(event, Failure) and event.kind == "crash" for event in played.events)


def gave_up(played: PlayedRun) -> bool:
    """Whether the engine asked once, and the answer was to come again later."""
    answers = [played.run.answer(number) for number in range(len(played.run.exchanges))]
    return len(answers) == 1 and all(
        isinstance(answer, HttpAnswer) and (answer.status == 429 or answer.status >= 500) for answer in answers
    )


def ran_a_call(played: PlayedRun) -> bool:
    """Whether any call succeeded."""
    return any(isinstance(event, ToolResult) and event.ok for event in played.events)


def ended(played: PlayedRun) -> str:
    """The code that the run ended with."""
    return next((event.code for event in played.events if isinstance(event, Final)), "")


def last_text_is_the_code(played: PlayedRun) -> bool:
    """Whether the run's final code is its last text, which is no whole page."""
    texts = [part.text for answer in played.answers[-1:] for part in answer.parts if part.kind == "text"]
    answered = any(isinstance(event, Assistant) for event in played.events)
    return answered and texts[-1:] == [ended(played)] and "</html>" not in ended(played)


def cut_inside(played: PlayedRun) -> bool:
    """Whether a stored file has neither the length of any content from the model, nor of the page in one."""
    lengths = {len(each) for content in played.contents for each in (content, page_of(content) or content)}
    return bool(lengths) and any(output.get("contentLength") not in lengths for output in played.shown("create_file"))


def filled_in_arguments(played: PlayedRun) -> bool:
    """Whether a tool that is not for files was started with arguments that the model did not give."""
    return any(
        event.name not in ("create_file", "edit_file") and set(event.input) - set(_argument_names(played, event))
        for event in played.events
        if isinstance(event, ToolStart) and isinstance(event.input, dict) and event.name in _known(played)
    )


def unknown_here(played: PlayedRun) -> bool:
    """Whether the engine knows a tool that the reference does not have."""
    return any(call.name not in CANONICAL and call.name in _known(played) for call in played.calls)


def path_that_runs_on(played: PlayedRun) -> bool:
    """Whether a call was started under a path that has a quotation mark in it."""
    return any('"' in str(shown.get("path")) for shown in _started_files(played))


def path_of_another_file(played: PlayedRun) -> bool:
    """Whether a file was started under a path that neither comes from the model nor continues such a path."""
    arguments = [_arguments(text) for text in _texts(played)]
    paths = [each["path"] for each in arguments if isinstance(each, dict) and isinstance(each.get("path"), str)]
    shown = [str(each["path"]) for each in _started_files(played) if each.get("path") is not None]
    return bool(paths) and any('"' not in path and path not in paths for path in shown[-1:])


def preview_in_half(played: PlayedRun) -> bool:
    """Whether a preview is no beginning of a content, because of half an escape or half a character at its end."""
    return any(not content.startswith(preview) for preview, content in _wrong_previews(played)) and not _past(played)


def half_a_character(played: PlayedRun) -> bool:
    """Whether a preview ends in one half of a pair of surrogates."""
    return any("\ud800" <= preview[-1:] <= "\udfff" for preview in played.previews if preview)


def preview_past_the_end(played: PlayedRun) -> bool:
    """Whether a preview continues after the whole content."""
    return _past(played)


def _past(played: PlayedRun) -> bool:
    return any(preview.startswith(content) for preview, content in _wrong_previews(played))


def _wrong_previews(played: PlayedRun) -> Iterator[tuple[str, str]]:
    """Each preview that is no beginning of any content, with the first content."""
    contents = [content for content in played.contents if content]
    for preview in played.previews if contents else ():
        if not any(content.startswith(preview) for content in contents):
            yield preview, contents[0]


# --- calls --------------------------------------------------------------------------------------------------


def _calls(answer: ModelAnswer) -> list[ScriptedPart]:
    return [part for part in answer.parts if part.kind == "tool"]


def _texts(played: PlayedRun) -> list[str]:
    return [call.text for call in played.calls]


@cache
def _arguments(text: str) -> Any:
    """The value of a call's arguments; ``_NO_JSON`` if the text is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return _NO_JSON


def _is_broken(text: str) -> bool:
    return _arguments(text) is _NO_JSON


def _breaks_off(text: str) -> bool:
    """Whether the text is the beginning of JSON."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.pos >= len(text) or error.msg.startswith("Unterminated string")
    return False


def _started_files(played: PlayedRun) -> Iterator[dict[str, Any]]:
    for event in played.events:
        if isinstance(event, ToolStart) and event.name == "create_file" and isinstance(event.input, dict):
            yield event.input


def _argument_names(played: PlayedRun, started: ToolStart) -> Iterable[str]:
    """The names of the arguments that the model gave to calls of the tool."""
    arguments = (_arguments(call.text) for call in played.calls if call.name == started.name)
    return chain.from_iterable(each for each in arguments if isinstance(each, dict))


def _known(played: PlayedRun) -> set[str]:
    """The tools that the engine has: it did not answer that it does not know them."""
    results = [event for event in played.events if isinstance(event, ToolResult)]
    return {event.name for event in results if "unknown tool" not in json.dumps(event.output).lower()}
