"""What the placeholders of a file and its keys about calls refer to: the calls of its script, counted from 1.

Calls of a turn that breaks off may never be seen whole, so none behind the first such turn has a number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from harness.scenario.authored import ResultEntry
from harness.scenario.documents import Document, Location
from harness.scenario.model import ResultExpect, Step, Tool, TurnStep, ValueExpect
from harness.scenario.placeholders import (
    MISSING,
    ResultMember,
    is_whole,
    member_at,
    names_results,
    placeholders,
)
from harness.scenario.words import did_you_mean, shown
from harness.trace import JsonValue

ProblemAt = Callable[[Location, str, str, str], None]
"""Takes the place of a problem, what was expected, what the file has, and what to do."""

_MOST_CALLS: Final = 20_000
_FORM: Final = "'{{result.N.MEMBER}}' with the number of a call and a member of its result"


class CallNumbers:
    """The calls of a script so far: the names of their ``tools``, and the numbers of the calls ``of`` each tool.

    ``broken``: the next ones have no number.
    """

    def __init__(self) -> None:
        self.tools: list[str] = []
        self.of: dict[str, list[int]] = {}
        self.broken = False

    def add(self, step: Step) -> None:
        """Count the calls of the next answer."""
        if not isinstance(step, TurnStep) or self.broken or not step.turn.calls:
            return
        self.broken = not step.is_whole or len(self.tools) > _MOST_CALLS
        for call in () if self.broken else step.turn.calls:
            self.tools.append(call.name)
            self.of.setdefault(call.name, []).append(len(self.tools))


class References:
    """Checks what a file says of calls, with the places of its texts."""

    def __init__(self, document: Document, problem: ProblemAt) -> None:
        self._document = document
        self._problem = problem
        self._tools: Mapping[str, Tool] = {}

    def know(self, tools: Sequence[Tool]) -> None:
        """The tools of the file are these."""
        self._tools = {tool.declaration.name: tool for tool in tools}

    def in_script(self, location: Location, made: CallNumbers) -> bool:
        """Check an answer, before which these calls were made. Returns whether it names members of results."""
        found = list(self._members(location))
        for place, member in found:
            self._check_in_script(place, member, made)
        return bool(found)

    def _check_in_script(self, place: Location, member: ResultMember, made: CallNumbers) -> None:
        tool = self._tool_of(place, member, made, "before this answer")
        if tool is not None and _is_known(tool):
            self._check_member(place, member, tool)
        if place[-1] == "arguments" and isinstance(self._at(place), str):
            self._problem(place, "arguments as an object where they name results", str(member), "write 'key: value'")

    def in_expectations(self, made: CallNumbers) -> bool:
        """Check what the file expects of a script that made these calls. Returns whether it names members."""
        found = list(self._members(("expect",)))
        for place, member in found:
            self._check_expected(place, member, made)
        return bool(found)

    def _check_expected(self, place: Location, member: ResultMember, made: CallNumbers) -> None:
        tool = self._tool_of(place, member, made, "in the script")
        if tool is None or not _is_known(tool):
            if 0 < member.call <= len(made.tools):
                name = made.tools[member.call - 1]
                expected = "the result of a tool of this file that says what it 'returns'"
                self._problem(place, expected, f"{member} of {shown(name)}", "write the value that you expect")
        else:
            self._check_member(place, member, tool)

    def results(self, entries: Sequence[ResultEntry], made: CallNumbers) -> Iterator[ResultExpect]:
        """The expected results by the numbers of their calls."""
        used: dict[str, int] = {}
        for index, entry in enumerate(entries):
            place = ("expect", "results", index)
            if entry.call is not None:
                number = entry.call if entry.call <= len(made.tools) else 0
                self._check_number(place, entry.call, made, "in the script")
            else:
                number = self._next_of(place, entry.tool or "", used, made)
            if number:
                equals = (entry.equals,) if "equals" in entry.model_fields_set else ()
                value = ValueExpect(equals, _several(entry.contains), _several(entry.lacks))
                yield ResultExpect(number, made.tools[number - 1], value, entry.failed)

    def _next_of(self, place: Location, tool: str, used: dict[str, int], made: CallNumbers) -> int:
        """The number of the next call of a tool; 0 where there is none."""
        numbers = made.of.get(tool, [])
        used[tool] = at = used.get(tool, 0) + 1
        if at > len(numbers):
            got = f"{len(numbers)} call{'' if len(numbers) == 1 else 's'} of {shown(tool)} in the script"
            remedy = f"remove the entry, or correct the name{did_you_mean(tool, made.of)}"
            self._problem((*place, "tool"), "one entry for each call of a tool at most", got, remedy)
            return 0
        return numbers[at - 1]

    def _tool_of(self, place: Location, member: ResultMember, made: CallNumbers, where: str) -> Tool | None:
        if not self._check_number(place, member.call, made, where):
            return None
        return self._tools.get(made.tools[member.call - 1])

    def _check_number(self, place: Location, number: int, made: CallNumbers, where: str) -> bool:
        if number <= len(made.tools):
            return True
        count = len(made.tools)
        expected = f"a call from 1 to {count} {where}" if count else f"a call {where}, of which there is none"
        why = "calls of and after a turn that breaks off have no number" if made.broken else "correct the number"
        self._problem(place, expected, f"call {number}", why)
        return False

    def _check_member(self, place: Location, member: ResultMember, tool: Tool) -> None:
        if member_at(tool.returns, member.path) is MISSING:
            expected = f"a member of what {tool.declaration.name} returns, {shown(tool.returns)}"
            self._problem(place, expected, str(member), "correct the names behind the number")

    def _members(self, location: Location) -> Iterator[tuple[Location, ResultMember]]:
        """Each placeholder below a place; one that is not in order is a problem."""
        for place, text in _texts(self._at(location), location):
            for each in placeholders(text):
                if each.member is None:
                    self._problem(place, _FORM, shown(text[each.start :]), "write it like '{{result.1.url}}'")
                else:
                    yield place, each.member

    def _at(self, location: Location) -> Any:
        value = self._document.data
        for element in location:
            value = value[element]
        return value


def _is_known(tool: Tool) -> bool:
    """Whether the file says what the tool returns."""
    return not tool.canonical and tool.raises is None and tool.kind in ("function", "unapproved")


def _texts(value: Any, place: Location) -> Iterator[tuple[Location, str]]:
    """Every text of plain data that may have a placeholder, with its place; names of members are none."""
    if isinstance(value, str):
        if names_results(value):
            yield place, value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield from _texts(each, (*place, name))
    elif isinstance(value, list | tuple):
        for at, each in enumerate(value):
            yield from _texts(each, (*place, at))


def is_placeholder_at(arguments: JsonValue, path: Sequence[str | int]) -> bool:
    """Whether a placeholder stands for the value at a place: what it will be is known to nobody before the run."""
    value: Any = arguments
    for element in path:
        if not isinstance(value, dict | list):
            return False
        value = value[element]  # type: ignore[call-overload,index,unused-ignore]
    return isinstance(value, str) and is_whole(value)


def _several(words: str | list[str] | None) -> tuple[str, ...]:
    return (words,) if isinstance(words, str) else tuple(words or ())
