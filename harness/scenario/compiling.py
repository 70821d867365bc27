"""Compiles checked entries into a ``Scenario``: expands short forms, and checks what only the whole file shows.

Called tools exist, their arguments fit, event expressions compile, and each wire can express what the script needs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from harness.errors import BadInput
from harness.scenario import arguments
from harness.scenario.acting import caller_acts, next_runs
from harness.scenario.agent_tools import AGENT_TOOLS
from harness.scenario.arguments import UnusableSchema, Validator, argument_problems
from harness.scenario.authored import (
    CallEntry,
    ExpectEntry,
    FileEntry,
    FinalEntry,
    HttpEntry,
    HttpErrorEntry,
    PartEntry,
    ScenarioFile,
    SentEntry,
    SideEntry,
    ThinkingEntry,
    ToolEntry,
    TurnEntry,
    ValueEntry,
)
from harness.scenario.automaton import EventExpression
from harness.scenario.dialects import varied_dialects
from harness.scenario.documents import Document, Location
from harness.scenario.grammar import ExpressionError, parse
from harness.scenario.lines import lines_of
from harness.scenario.model import (
    Cut,
    Expect,
    ExpectedError,
    FileExpect,
    FinalExpect,
    HttpErrorStep,
    OfferedExpect,
    ReportedExpect,
    Scenario,
    SentExpect,
    SideConversation,
    SocketFault,
    Step,
    Tool,
    ToolRun,
    TurnStep,
    ValueExpect,
)
from harness.scenario.native import native_step
from harness.scenario.policies import actions, check_profile, rounds
from harness.scenario.references import CallNumbers, References, is_placeholder_at
from harness.scenario.run_values import is_fresh
from harness.scenario.steps import StepBudget
from harness.scenario.tools import CANONICAL, registered
from harness.scenario.words import MOST_PROBLEMS, did_you_mean, either, first_problems, shown
from harness.trace import JsonValue
from harness.wire import (
    Call,
    FinishReason,
    Part,
    StreamError,
    Text,
    ThinkingPart,
    ToolDeclaration,
    Turn,
    Usage,
    WireName,
    native_wires,
    wire,
    wire_names,
    wires,
)
from harness.wire.base import ScriptedWords
from harness.wire.channels import CHANNELS
from harness.wire.chunking import CHUNKINGS, Chunking
from harness.wire.failures import STATUS_OF_FAILURE
from harness.wire.text_tags.prompt import ACTIVATE_SKILL, Skill
from harness.wire.turn import NO_MEMBERS, NativePiece, Refusal

MAX_STEPS = 10_000
"""The most answers of a script, with every repetition counted."""


def compile_file(document: Document, file: ScenarioFile) -> Scenario:
    """The scenario that ``file`` declares. Raises ``BadInput`` with every problem that is found."""
    return _Compiler(document, file).scenario()


class _Compiler:
    def __init__(self, document: Document, file: ScenarioFile) -> None:
        self._document = document
        self._file = file
        self._problems: list[str] = []
        self._found = 0
        self._validators: dict[str, Validator | None] = {}
        self._called: dict[str, None] = {}
        self._budget = StepBudget()
        self._references = References(document, self._problem)

    def scenario(self) -> Scenario:
        file = self._file
        tools = tuple(self._tools())
        self._references.know(tools)
        self._check_options()
        self._check_answer_schema()
        self._check_length()
        self._check_model()
        self._check_transport()
        check_profile(file, self._problem)
        resolve, caller = rounds(file, self._problem), actions(file, self._problem)
        dialects = varied_dialects(file, _wires(file), self._problem)
        made = CallNumbers()
        steps = tuple(self._steps(file.model, (), made))
        during, runs = (
            caller_acts(file, steps, _wires(file), self._problem),
            next_runs(file, _wires(file), self._problem),
        )
        beside = (*self._beside("side", file.side), *self._beside("subagents", file.subagents))
        expect = self._expect(file.expect, made)
        if self._problems:
            raise BadInput(*first_problems(self._document.path, self._problems, self._found))
        return Scenario(
            name=file.scenario,
            profile=file.profile,
            summary=" ".join(file.summary.split()),
            wires=_wires(file),
            prompt=_prompt(file),
            tools=tools,
            steps=steps,
            expect=expect,
            path=self._document.path,
            chunkings=_chunkings(file),
            dialects=dialects,
            stream=file.stream,
            turn_limit=file.turn_limit,
            answer_schema=file.answer_schema,
            options=tuple(file.options),
            skills={name: Skill(entry.description, entry.instructions) for name, entry in file.skills.items()},
            resolve=resolve,
            caller=caller,
            acts=during,
            runs=runs,
            beside=beside,
            lines=lines_of(self._document, file),
            suite=file.suite or "core",
            plays=file.plays or "",
            files=file.files,
            transport=file.transport or "",
        )

    # --- tools

    def _tools(self) -> Iterator[Tool]:
        for index, entry in enumerate(self._file.tools):
            location = ("tools", index)
            name = entry if isinstance(entry, str) else entry.name
            if name in self._validators:
                self._problem(location, "every tool once", f"{shown(name)} again", "remove one of them")
            elif name in AGENT_TOOLS and isinstance(entry, str):
                self._validators[name] = arguments.validator(AGENT_TOOLS[name].parameters)
                yield Tool(AGENT_TOOLS[name], canonical=True)
            elif isinstance(entry, str):
                self._validators[name] = arguments.canonical(name)
                yield Tool(registered(name).declaration, canonical=True)
            else:
                yield self._own_tool(entry, location)

        if self._file.skills:
            self._validators[ACTIVATE_SKILL.name] = arguments.validator(ACTIVATE_SKILL.parameters)

    def _own_tool(self, entry: ToolEntry, location: Location) -> Tool:
        if entry.name in CANONICAL:
            remedy = f"write '- {entry.name}', or use another name"
            self._problem((*location, "name"), "a name of its own", shown(entry.name), remedy)
        try:
            self._validators[entry.name] = arguments.validator(entry.parameters)
        except UnusableSchema as error:
            self._validators[entry.name] = None
            self._problem((*location, "parameters", *error.path), error.expected, str(error), error.remedy)
        declaration = ToolDeclaration(entry.name, entry.description, entry.parameters)
        return Tool(
            declaration,
            returns=entry.returns,
            raises=entry.raises,
            kind=entry.kind,
            extra=entry.extra or "",
            finishes_after=entry.finishes_after,
            fresh=self._file.scenario if is_fresh(entry.returns) else "",
        )

    def _check_options(self) -> None:
        if self._file.options and "retrieve_option" not in self._validators:
            remedy = "add it to 'tools', or remove 'options'"
            self._problem(("options",), "the tool 'retrieve_option', which reads options", "no such tool", remedy)

    def _check_answer_schema(self) -> None:
        if self._file.answer_schema is None:
            return
        try:
            arguments.validator(self._file.answer_schema)
        except UnusableSchema as error:
            self._problem(("answer_schema", *error.path), error.expected, str(error), error.remedy)

    def _check_model(self) -> None:
        found = _wires(self._file)
        if self._file.plays is not None and len(found) != 1:
            remedy = f"add 'wires: [{found[0]}]', or the wire that serves it"
            self._problem(("plays",), "one wire, which serves the model", f"{len(found)} wires", remedy)

    def _check_transport(self) -> None:
        """Check that entries about a channel have wires with that channel, and streams."""
        over = CHANNELS.get(self._file.transport or "")
        if over is None:
            return
        without = [name for name in _wires(self._file) if over.name not in wire(name).channels]
        if without or not self._file.stream:
            got = without[0] if without else "'stream: false'"
            remedy = (
                f"add 'wires: [{', '.join(each.name for each in wires() if over.name in each.channels)}]', and stream"
            )
            self._problem(("transport",), f"wires with {over.many}, and streams", got, remedy)

    def _check_length(self) -> None:
        beside = [*self._file.side, *self._file.subagents]
        length = sum(step.repeat for steps in (self._file.model, *(each.model for each in beside)) for step in steps)
        if length > MAX_STEPS:
            self._problem(("model",), f"at most {MAX_STEPS:,} answers", f"{length:,}", "use fewer, or a lower 'repeat'")

    # --- the model's steps

    def _steps(self, entries: Sequence[TurnEntry | HttpEntry], inside: Location, made: CallNumbers) -> Iterator[Step]:
        for index, entry in enumerate(entries):
            step: Step
            if isinstance(entry, HttpEntry):
                step = _http_error(entry.http)
            elif entry.native is not None:
                step = self._native(entry, entry.native, (*inside, "model", index, "native"))
            else:
                step = self._turn(entry, (*inside, "model", index), made)
            for _ in range(entry.repeat):
                made.add(step)
                yield step

    def _beside(self, key: str, entries: Sequence[SideEntry]) -> Iterator[SideConversation]:
        for index, entry in enumerate(entries):
            steps = tuple(self._steps(entry.model, (key, index), CallNumbers()))
            yield SideConversation(entry.says, steps, key == "subagents", tuple(map(_sent, entry.sent)))

    def _turn(self, entry: TurnEntry, location: Location, made: CallNumbers) -> TurnStep:
        self._check_faults(entry, location)
        self._check_one_wire(entry, location)
        uses_results = self._references.in_script(location, made)
        parts = tuple(self._parts(entry, location))
        turn = Turn(
            parts=parts,
            natives=tuple(_natives(entry)),
            members=entry.members or NO_MEMBERS,
            stop=FinishReason(entry.stop) if entry.stop else _stop(parts),
            usage=Usage(**entry.usage.model_dump()),
            error=StreamError(entry.error.kind, entry.error.message) if entry.error else None,
            ending=entry.ending or "complete",
            deltas=entry.deltas,
        )
        return TurnStep(turn, _cut(entry), uses_results=uses_results, socket=_socket(entry))

    def _native(self, entry: TurnEntry, events: Sequence[dict[str, Any] | str], location: Location) -> TurnStep:
        cut = _cut(entry)
        found = _wires(self._file)
        if len(found) != 1:
            remedy = f"add 'wires: [{found[0]}]', or the wire whose words these are"
            self._problem(location, "one wire, whose words these are", f"{len(found)} wires", remedy)
            return TurnStep(Turn(()), cut)
        if not self._file.stream and (len(events) > 1 or not isinstance(events[0], dict)):
            self._problem(location, "one document without a stream", f"{len(events)} entries", "write one mapping")
            return TurnStep(Turn(()), cut)
        try:
            step = native_step(wire(found[0]), events, stream=self._file.stream, cut=cut)
            return replace(step, socket=_socket(entry))
        except ValueError as error:
            self._problem(location, f"an answer that can be read on {found[0]}", str(error), "correct it")
            return TurnStep(Turn(()), cut)

    def _check_one_wire(self, entry: TurnEntry, location: Location) -> None:
        """Check that an answer in one provider's own words is for its wire alone, and that the wire has such pieces."""
        found = _wires(self._file)
        for place, kind in _native_words(entry):
            if len(found) != 1:
                remedy = f"add 'wires: [{found[0]}]', or the wire whose words these are"
                self._problem((*location, *place), "one wire, whose words these are", f"{len(found)} wires", remedy)
            elif kind not in wire(found[0]).scripted:
                got, can = f"'{kind}' on {found[0]}", sorted(wire(found[0]).scripted)
                remedy = f"use {either(can)}" if can else "remove it"
                self._problem((*location, *place), "words that the wire can be given", got, remedy)

    def _check_faults(self, entry: TurnEntry, location: Location) -> None:
        for key in ("error", "ending", "cut"):
            if not self._file.stream and key in entry.model_fields_set:
                got = f"'{key}' without a stream"
                self._problem((*location, key), "a fault of a stream in a streamed scenario", got, "remove one of them")
        parts = _count_of_parts(entry)
        if entry.cut and entry.native is None and (entry.cut.after_parts or 0) > parts:
            remedy = "use a lower number"
            self._problem((*location, "cut", "after_parts"), f"at most {parts}", str(entry.cut.after_parts), remedy)
        if entry.stop == "pause" and not all(wire(name).can_pause for name in _wires(self._file)):
            remedy = f"add 'wires: [{', '.join(each.name for each in wires() if each.can_pause)}]'"
            self._problem((*location, "stop"), "a stop that every wire can say", "'pause'", remedy)

    def _parts(self, entry: TurnEntry, location: Location) -> Iterator[Part]:
        if entry.parts is not None:
            for index, part in enumerate(entry.parts):
                if part.native is None:
                    yield self._part(part, (*location, "parts", index))
            return
        if entry.thinking is not None:
            yield _thinking(entry.thinking)
        if entry.text is not None:
            yield Text(entry.text)
        if entry.refusal is not None:
            yield Refusal(entry.refusal)
        for index, call in enumerate(entry.calls or ()):
            yield self._call(call, (*location, "calls", index))

    def _part(self, entry: PartEntry, location: Location) -> Part:
        if entry.thinking is not None:
            return _thinking(entry.thinking)
        members = entry.members or NO_MEMBERS
        if entry.text is not None:
            return Text(entry.text, members=members)
        if entry.refusal is not None:
            return Refusal(entry.refusal)
        assert entry.call is not None  # noqa: S101 - PartEntry has exactly one key, and native pieces are no parts
        return replace(self._call(entry.call, (*location, "call")), members=members)

    def _call(self, entry: CallEntry | dict[str, dict[str, object]], location: Location) -> Call:
        if isinstance(entry, dict):
            ((name, values),) = entry.items()
            entry, inside = CallEntry(name=name, arguments=values), (*location, name)
        else:
            inside = (*location, "arguments")
        self._called[entry.name] = None
        self._check_call(entry, location, inside)
        text = entry.arguments if isinstance(entry.arguments, str) else json.dumps(entry.arguments, ensure_ascii=False)
        return Call(entry.name, text, id="" if entry.id == "none" else entry.id)

    def _check_call(self, entry: CallEntry, location: Location, inside: Location) -> None:
        if entry.name not in self._validators:
            if not entry.invalid and location[0] == "model":  # a sub-agent has tools that the case does not give
                offered = (
                    f"one of the tools {either(self._validators)}" if self._validators else "no call without tools"
                )
                remedy = f"add it to 'tools', or say 'invalid: true'{did_you_mean(entry.name, self._validators)}"
                self._problem(location, offered, shown(entry.name), remedy)
            return
        schema = self._validators[entry.name]
        if schema is None:
            return
        found = [
            problem
            for problem in argument_problems(entry.arguments, schema, self._budget)
            if not is_placeholder_at(entry.arguments, problem.path)
        ]
        if entry.invalid and not found:
            what = f"arguments that {entry.name} refuses"
            self._problem((*location, "invalid"), what, "arguments that fit its schema", "remove 'invalid'")
        if not entry.invalid:
            for problem in found:
                where = (*inside, *problem.path)
                self._problem(
                    where, f"arguments of {entry.name}", problem.message, "correct them or say 'invalid: true'"
                )

    # --- what must come of it

    def _expect(self, entry: ExpectEntry, made: CallNumbers) -> Expect:
        final, error = entry.final, entry.error
        uses_results = self._references.in_expectations(made)
        return Expect(
            outcome=entry.outcomes,
            turns=entry.turns,
            requests=entry.requests,
            events=self._events(entry.events) if entry.events else None,
            sent=tuple(map(_sent, entry.sent)),
            ran=tuple(self._runs(entry.ran, "ran")),
            not_ran=tuple(self._runs(entry.not_ran, "not_ran")),
            final=_final(final) if final else None,
            error=ExpectedError(error.kind, error.contains, _several(error.lacks)) if error else None,
            offered=tuple(OfferedExpect(each.request, tuple(each.tools), tuple(each.lacks)) for each in entry.offered),
            reported=tuple(self._expected_reports(entry)),
            results=tuple(self._references.results(entry.results, made)),
            uses_results=uses_results,
            files=tuple(_file(path, each) for path, each in entry.files.items()),
        )

    def _expected_reports(self, entry: ExpectEntry) -> Iterator[ReportedExpect]:
        count: Counter[str] = Counter()
        for index, each in enumerate(entry.reported):
            self._check_known(("expect", "reported", index, "tool"), each.tool, "report")
            count[each.tool] += 1
            yield ReportedExpect(each.tool, count[each.tool], each.ok, _value(each.input), _value(each.output))

    def _runs(self, entries: Sequence[str | dict[str, dict[str, JsonValue]]], key: str) -> Iterator[ToolRun]:
        for index, entry in enumerate(entries):
            run = ToolRun(entry) if isinstance(entry, str) else ToolRun(*next(iter(entry.items())))
            self._check_known(("expect", key, index), run.tool, "run")
            yield run

    def _check_known(self, location: Location, tool: str, what: str) -> None:
        known = {**self._validators, **self._called}
        if tool not in known:
            offered = f"one of the tools {either(known)}" if known else f"no {what} without tools"
            remedy = f"correct the name, or remove it{did_you_mean(tool, known)}"
            self._problem(location, offered, shown(tool), remedy)

    def _events(self, source: str) -> EventExpression | None:
        try:
            return parse(source, {**self._validators, **self._called})
        except ExpressionError as error:
            place = self._document.place_inside(("expect", "events"), error.at)
            near = source[error.at :].split("\n", 1)[0]
            self._found += 1
            self._problems.append(
                f"{place}: expected an event expression, got {shown(near)}: {error.message}; see docs/scenarios.md"
            )
            return None

    def _problem(self, location: Location, expected: str, got: str, remedy: str) -> None:
        self._found += 1
        if self._found <= MOST_PROBLEMS:
            self._problems.append(f"{self._document.place(location)}: expected {expected}, got {got}; {remedy}")


def _http_error(entry: HttpErrorEntry) -> HttpErrorStep:
    if entry.connection is not None:
        return HttpErrorStep(0, connection=entry.connection)
    status = STATUS_OF_FAILURE[entry.kind] if entry.kind else entry.status
    assert status is not None  # noqa: S101 - the entry has exactly one of the three
    wait = entry.retry_after
    if isinstance(wait, str):
        return HttpErrorStep(status, None, entry.body, entry.kind, retry_date=wait, breaks=entry.breaks)
    return HttpErrorStep(status, wait, entry.body, entry.kind, breaks=entry.breaks)


def _cut(entry: TurnEntry) -> Cut | None:
    cut = entry.cut
    return Cut(cut.after or 0, cut.how, cut.after_parts, cut.code) if cut else None


def _socket(entry: TurnEntry) -> SocketFault | None:
    fault = entry.socket
    if fault is None:
        return None
    return SocketFault(
        refuse=0 if fault.refuse == "closed" else fault.refuse,
        times=fault.times or 0,
        forgets=bool(fault.forgets),
        unknown=bool(fault.unknown_event),
        hangs=bool(fault.hangs),
        compresses=bool(fault.compresses),
        elsewhere=bool(fault.other_stream),
        steerable=bool(fault.steerable),
        limit=bool(fault.limit),
        close=fault.close or 0,
    )


def _count_of_parts(entry: TurnEntry) -> int:
    """How many parts a turn has, without parts that only one provider has."""
    if entry.parts is not None:
        return sum(part.native is None for part in entry.parts)
    texts = (entry.thinking, entry.text, entry.refusal)
    return sum(each is not None for each in texts) + len(entry.calls or ())


def _prompt(file: ScenarioFile) -> tuple[tuple[str, str], ...]:
    if isinstance(file.prompt, str):
        return (("user", file.prompt),)
    return tuple(("system", entry.system) if entry.system else ("user", entry.user or "") for entry in file.prompt)


def _wires(file: ScenarioFile) -> tuple[WireName, ...]:
    match file.wires:
        case "all":
            return wire_names()
        case "native":
            return native_wires()
        case some:
            return tuple(dict.fromkeys(some))


def _chunkings(file: ScenarioFile) -> tuple[Chunking, ...]:
    if file.vary is None or file.vary.chunking is None:
        return ("event",)
    return CHUNKINGS if file.vary.chunking == "all" else tuple(dict.fromkeys(file.vary.chunking))


def _thinking(entry: str | ThinkingEntry) -> ThinkingPart:
    if isinstance(entry, str):
        return ThinkingPart(entry)
    if entry.text is not None:
        return ThinkingPart(entry.text)
    return ThinkingPart(form="redacted" if entry.redacted else "omitted")


def _sent(entry: SentEntry) -> SentExpect:
    return SentExpect(
        entry.request,
        _several(entry.contains),
        _several(entry.lacks),
        _several(entry.once),
        entry.values,
        tuple(entry.without),
        tuple(entry.waits or ()),
    )


def _final(entry: FinalEntry) -> FinalExpect:
    words = (_several(entry.contains), _several(entry.lacks), entry.says or "")
    return FinalExpect(entry.equals, *words, entry.usage, tuple(entry.history), entry.output)


def _natives(entry: TurnEntry) -> Iterator[NativePiece]:
    """The native pieces of an answer, each with the number of parts before it."""
    before = 0
    for part in entry.parts or ():
        if part.native is None:
            before += 1
        else:
            yield NativePiece(before, part.native)


def _native_words(entry: TurnEntry) -> Iterator[tuple[Location, ScriptedWords]]:
    """The places where an answer uses one provider's own words, and the kind of these words."""
    if entry.members is not None:
        yield ("members",), "members"
    for index, part in enumerate(entry.parts or ()):
        if part.native is not None:
            yield ("parts", index, "native"), "native"
        if part.members is not None:
            yield ("parts", index, "members"), "members of a part"


def _stop(parts: tuple[Part, ...]) -> FinishReason:
    """The default finish reason of a turn with these parts."""
    if any(isinstance(part, Refusal) for part in parts):
        return FinishReason.REFUSAL
    return FinishReason.TOOL_CALLS if any(isinstance(part, Call) for part in parts) else FinishReason.END


def _value(entry: ValueEntry | None) -> ValueExpect | None:
    if entry is None:
        return None
    equals = (entry.equals,) if "equals" in entry.model_fields_set else ()
    return ValueExpect(equals, _several(entry.contains), _several(entry.lacks), entry.members)


def _file(path: str, entry: FileEntry | str) -> FileExpect:
    if isinstance(entry, str):
        return FileExpect(path, absent=True)
    equals = () if entry.equals is None else (entry.equals,)
    return FileExpect(path, value=ValueExpect(equals, _several(entry.contains), _several(entry.lacks)))


def _several(words: str | list[str] | None) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words or ())
