"""Small runs as files have them: what happens is written in words, each of which is a function or a class.

A file has the ``wires`` of its small runs, if these are not all native ones; ``shared`` values, for YAML's aliases;
``runs`` by name; and ``small runs`` in groups. A group is of one ``rule``, on one ``run``, perhaps on other ``wires``
and with ``edits`` that come first in each; its ``rows`` have a sentence, and edits behind it. A row may begin with a
``run`` of its own. Runs have the members of ``PlainRun``; ``like`` is another one, from which a run differs in these.
A group that names a function by ``python`` has the small runs that this makes. The proof of a rule, beside its check,
is a group without ``rule``, and with ``right`` and ``wrong`` rows instead of ``rows``.

A word with what it needs is a mapping whose first member is the word: ``{drop: ToolStart, which: 1}`` is
``drop(ToolStart, which=1)``, and ``{emit: [Final, 0, {SetCode: <p>}]}`` has several arguments by their places. A word
that takes nothing by its place has a mapping: ``{case: {turn_limit: 2}}``. Edits that need nothing are their names.
Some values have words of their own: ``{object: {a: {type: string}}}`` is the schema of an object, ``{text of: [a, [b,
3]]}`` the text abbb; ``from json``, ``tuple of`` and ``bytes of`` make what YAML cannot say.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from inspect import Parameter, signature
from pathlib import Path
from typing import Any, Final

from harness import trace, wire
from harness.ground.data_files import Lined, read_data, read_data_in
from harness.wire import NATIVE_WIRES, Call, FinishReason, Text, Turn
from harness_lab.mutants.traces.mutant import Edit
from harness_lab.mutants.traces.plain import TOOLS, PlainRun
from harness_lab.mutants.traces.small_run import SmallRun

Words = Mapping[str, Callable[..., Any]]

_KINDS: Final[Mapping[str, type]] = {
    each.__name__: each
    for each in (
        *(trace.AgUiRecord, trace.Assistant, trace.CallerRecord, trace.Failure, trace.Final, trace.SetCode),
        *(trace.SocketRecord, trace.Thinking, trace.ToolArguments, trace.ToolResult, trace.ToolStart, trace.TurnStart),
        *(wire.Call, wire.Refusal, wire.Result, wire.Text, wire.ThinkingPart, wire.ToolDeclaration, wire.Usage),
        wire.StreamError,
    )
}
"""Classes that a file may name. A text that is one of these names stands for the class wherever it is."""

_TUPLES: Final = {
    field.name
    for each in (trace.Case, PlainRun, *_KINDS.values())
    for field in fields(each)
    if str(field.type).startswith("tuple")
}
_BY_PLACE: Final = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD, Parameter.VAR_POSITIONAL)
_ROWS: Final = {"rows": None, "right": False, "wrong": True}
_GROUP: Final = frozenset({"wires", "run", "edits", *_ROWS})
_FUNCTIONS: Final = ("Callable", "Change", "parsers.Parser")
"""How the types of parameters begin that get a word as it is."""
_TOOLS: Final = {tool.name: tool for tool in TOOLS}


def read_small_runs(path: Path, words: Words) -> tuple[SmallRun, ...]:
    """The small runs of a file. Raises ``BadInput`` with its name and a line where it says something else."""
    return tuple(WrittenInWords(words, read_data(path)).small_runs())


def read_proof(rule: str, proof: str, words: Words) -> tuple[SmallRun, ...]:
    """The small runs in the proof of a rule. Raises ``BadInput`` with the rule and a line of the proof."""
    group = read_data_in(proof, f"the proof of {rule}")
    return tuple(WrittenInWords(words, Lined()).group(group, rule))


class WrittenInWords:
    """A file or a proof whose runs and edits are in words."""

    def __init__(self, words: Words, file: Mapping[str, Any]) -> None:
        self.words = words
        self.file = file
        self.runs: dict[str, PlainRun] = {}

    def small_runs(self) -> Iterator[SmallRun]:
        """All of them, in their order."""
        named = self.file.get("runs", Lined())
        for name in named:
            with named.at(name):
                self.runs[name] = self._run(named[name])
        for group in self.file["small runs"]:
            yield from self.words[group["python"]]() if "python" in group else self._of_rule(group)

    def _of_rule(self, group: Lined) -> Iterator[SmallRun]:
        rule = group.pop("rule")
        yield from self.group(group, rule)

    def group(self, group: Lined, rule: str) -> Iterator[SmallRun]:
        """The small runs of a group, which are about this rule."""
        wires = group.get("wires", self.file.get("wires", "native"))
        wires = NATIVE_WIRES if wires == "native" else tuple(wires)
        for name in group.keys() - _GROUP:
            with group.at(name):
                raise ValueError(f"a group has {', '.join(sorted(_GROUP))}")
        with group.at("run" if "run" in group else next(iter(group))):
            run = self._run(group["run"]) if "run" in group else None
            first = self.edits(group.get("edits", ()))
        for kind, wrong in _ROWS.items():
            rows = group.get(kind, Lined())
            for name in rows:
                with rows.at(name):
                    summary, own, edits = self._row(rows[name], run)
                yield SmallRun(name, rule, summary, own, (*first, *edits), wires, wrong)

    def _row(self, row: Any, run: PlainRun | None) -> tuple[str, PlainRun, tuple[Edit, ...]]:
        summary, *rest = row if isinstance(row, list) else [row]
        if rest and isinstance(rest[0], dict) and "run" in rest[0]:
            run = self._run(rest.pop(0)["run"])
        if run is None:
            raise ValueError("neither it nor its group has a run")
        return summary, run, self.edits(rest)

    def edits(self, edits: Sequence[Any]) -> tuple[Edit, ...]:
        """The edits that a list says."""
        return tuple(map(self._edit, edits))

    def _edit(self, edit: Any) -> Edit:
        made: Edit | None = self.words.get(edit) if isinstance(edit, str) else self._value(edit)
        if not callable(made):
            raise ValueError(f"{edit!r} is no edit")
        return made

    # --- runs ---

    def _run(self, run: Any) -> PlainRun:
        if isinstance(run, str):
            return self.runs[run]
        if next(iter(run)) in self.words:
            made: PlainRun = self._value(run)
            return made
        members = {name: self._member(name, value) for name, value in run.items() if name != "like"}
        return replace(self.runs[run["like"]], **members) if "like" in run else PlainRun(**members)

    def _member(self, name: str, value: Any) -> Any:
        match name:
            case "turns":
                return tuple(turn for each in value for turn in self._turns(each))
            case "tools":
                return tuple(_TOOLS[each] if isinstance(each, str) else self._value(each) for each in value)
            case "acts":
                return {number: tuple(map(self._act, acts)) for number, acts in value.items()}
            case "failing":
                return frozenset(value)
            case "case":
                return self._members(value)
        return _tuple(self._value(value)) if name in _TUPLES else self._value(value)

    def _turns(self, turn: Any) -> list[Turn]:
        """A turn, or as many as its ``times`` says."""
        if not isinstance(turn, dict):
            return [self._turn(turn)]
        return [self._turn({name: value for name, value in turn.items() if name != "times"})] * turn.get("times", 1)

    def _turn(self, turn: Any) -> Turn:
        """A turn is its text, a list of its parts, or a mapping with its other members besides."""
        if not isinstance(turn, dict):
            return Turn(tuple(map(self._part, [turn] if isinstance(turn, str) else turn)))
        members = {name: self._value(value) for name, value in turn.items() if name not in ("parts", "stop")}
        stop = FinishReason(turn["stop"]) if "stop" in turn else FinishReason.END
        return Turn(tuple(map(self._part, turn["parts"])), stop, **members)

    def _part(self, part: Any) -> Any:
        made = self._value(part)
        return Text(made) if isinstance(made, str) else made

    def _act(self, act: str | Lined) -> trace.CallerRecord:
        did, text, members = _word_first(Lined({act: None}) if isinstance(act, str) else act)
        return trace.CallerRecord(did, text or "", **self._members(members))  # type: ignore[arg-type]

    # --- values ---

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return _KINDS.get(value, value)
        if isinstance(value, list):
            return [self._value(each) for each in value]
        if not isinstance(value, dict) or not value:
            return value
        word, argument, members = _word_first(value)
        if word in self.words or word in _KINDS:
            return self._made(self.words.get(word) or _KINDS[word], argument, members)
        match word:
            case "call":
                return _call(argument, **self._members(members))
            case "object":
                return {"type": "object", "properties": self._plain(argument), **self._plain(members)}
            case "text of":
                return "".join(each if isinstance(each, str) else each[0] * each[1] for each in argument)
            case "tuple of":
                return tuple(argument)
            case "from json":
                return json.loads(self._value(argument))
            case "bytes of":
                return argument.encode("latin-1")
        return self._plain(value)

    def _plain(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._value(each) for name, each in value.items()}

    def _members(self, members: Mapping[str, Any]) -> dict[str, Any]:
        return {name: _tuple(made) if name in _TUPLES else made for name, made in self._plain(members).items()}

    def _made(self, word: Callable[..., Any], argument: Any, members: Mapping[str, Any]) -> Any:
        """What a word makes of its argument, or of a list of them; of a mapping if it takes none by its place."""
        parameters = _parameters(word)
        if not any(each.kind in _BY_PLACE for each in parameters.values()):
            argument, members = [], {**(argument or {}), **members}
        places = argument if isinstance(argument, list) else [] if argument is None else [argument]
        first, *_ = parameters.values()
        by_place = [self._argument(first, each) for each in places]
        by_name = {name: self._argument(parameters.get(name), value) for name, value in members.items()}
        return word(*by_place, **{name: _tuple(made) if name in _TUPLES else made for name, made in by_name.items()})

    def _argument(self, parameter: Parameter | None, value: Any) -> Any:
        match parameter.annotation if parameter else "":
            case "PlainRun":
                return self._run(value)
            case "Turn":
                return self._turn(value)
            case "Edit":
                return self._edit(value)
            case str() as kind if isinstance(value, str) and kind.startswith(_FUNCTIONS):
                return self.words[value]
        return self._value(value)


def _call(name: str, id: str | None = None, arguments: str | None = None, **members: Any) -> Call:
    """A call of a tool: ``with`` are its arguments, ``arguments`` its arguments as text."""
    text = json.dumps(members.pop("with", {})) if arguments is None else arguments
    return Call(name, text, id, **members)


def _word_first(mapping: Mapping[str, Any]) -> tuple[str, Any, Mapping[str, Any]]:
    (word, argument), *members = mapping.items()
    return word, argument, dict(members)


def _tuple(value: Any) -> Any:
    return tuple(map(_tuple, value)) if isinstance(value, list) else value


@cache
def _parameters(word: Callable[..., Any]) -> Mapping[str, Parameter]:
    return signature(word).parameters
