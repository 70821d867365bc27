"""Turns a file's plain data into checked entries, and words errors of the format for the author of the file.

Every problem reads ``place: expected ..., got ...; what to do``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from harness.errors import BadInput
from harness.scenario import authored
from harness.scenario.authored import NOTHING, Authored, ScenarioFile
from harness.scenario.documents import Document, Key, Location
from harness.scenario.words import MOST_PROBLEMS, did_you_mean, either, first_problems, shown

_MOST_KEYS = 30

_File = TypeVar("_File", bound=Authored)


def check(document: Document) -> ScenarioFile:
    """The file's entries. Raises ``BadInput`` with every problem of the file, in the order of the file."""
    return checked(document, ScenarioFile, _MODELS)


def checked(
    document: Document,
    kind: type[_File],
    entries: Mapping[str, type[Authored]],
    context: Mapping[str, Any] | None = None,
    *,
    data: Any = None,
) -> _File:
    """The same for a file of any kind.

    ``data`` is the data of the file together with a file that it extends; None: the file alone. ``entries`` are the
    entries by the last name of a location ('': the top). ``context`` is passed to validators. An error of the type
    ``complaint`` has its own words.
    """
    try:
        return kind.model_validate(document.data if data is None else data, context=context)
    except ValidationError as error:
        details = error.errors(include_url=False)
        found = sorted(_problem(document, detail, entries) for detail in details[:MOST_PROBLEMS])
        raise BadInput(*first_problems(document.path, [line for _, line in found], len(details))) from None


def _problem(
    document: Document, detail: ErrorDetails, entries: Mapping[str, type[Authored]]
) -> tuple[tuple[int, int], str]:
    location: Location = detail["loc"]
    if detail["type"] == "extra_forbidden":
        expected, got, remedy = _unknown_key(detail, entries)
        location = (*location[:-1], Key(str(location[-1])))
    else:
        expected, got, remedy = _WORDS.get(detail["type"], _other)(detail)
    place = document.place(location)
    return (place.line, place.column), f"{place}: expected {expected}, got {got}; {remedy}"


Complaint = tuple[str, str, str]
"""What was expected, what the file has, and what to do."""


def _got(detail: ErrorDetails) -> str:
    match detail["input"]:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case value if value is NOTHING or value is None:
            return "nothing"
        case value:
            return shown(value)


def _missing(detail: ErrorDetails) -> Complaint:
    return f"the key '{detail['loc'][-1]}'", _keys(detail["input"]), "add it"


def _keys(data: Any) -> str:
    keys = list(data) if isinstance(data, dict) else []
    return f"only {_key_list(keys)}" if keys else "none"


def _key_list(keys: list[str]) -> str:
    first = ", ".join(shown(key) for key in keys[:_MOST_KEYS])
    return first if len(keys) <= _MOST_KEYS else f"{first} and {len(keys) - _MOST_KEYS:,} more"


_MODELS: Mapping[str, type[Authored]] = {
    "": authored.ScenarioFile,
    "messages": authored.PromptEntry,
    "tool": authored.ToolEntry,
    "skills": authored.SkillEntry,
    "resolution": authored.ResolveEntry,
    "caller": authored.CallerEntry,
    "action": authored.ActionEntry,
    "timeline": authored.TimelineEntry,
    "a moment of a run": authored.WhenEntry,
    "say": authored.CallerActEntry,
    "message": authored.MessageEntry,
    "edit_tool_response": authored.EditEntry,
    "message.turn": authored.EditEntry,
    "sent": authored.SentEntry,
    "reported": authored.ReportedEntry,
    "turn": authored.TurnEntry,
    "http step": authored.HttpEntry,
    "http": authored.HttpErrorEntry,
    "form": authored.ThinkingEntry,
    "parts": authored.PartEntry,
    "call": authored.CallEntry,
    "usage": authored.UsageEntry,
    "cut": authored.CutEntry,
    "socket": authored.SocketEntry,
    "turn.error": authored.StreamErrorEntry,
    "expect": authored.ExpectEntry,
    "expect.error": authored.ExpectedErrorEntry,
    "final": authored.FinalEntry,
    "offered": authored.OfferedEntry,
    "a file": authored.FileEntry,
    "input": authored.ValueEntry,
    "output": authored.ValueEntry,
    "results": authored.ResultEntry,
    "side": authored.SideEntry,
    "subagents": authored.SideEntry,
    "vary": authored.VaryEntry,
}
"""The entry for the last name, or the last two names, of a location."""


def _unknown_key(detail: ErrorDetails, entries: Mapping[str, type[Authored]]) -> Complaint:
    *above, key = [element for element in detail["loc"] if isinstance(element, str)]
    last, both = above[-1] if above else "", ".".join(above[-2:])
    known = list(entries[both if both in entries else last].model_fields)
    return f"the keys {either(known)}", shown(key), f"remove or rename it{did_you_mean(key, known)}"


def _one_of(detail: ErrorDetails) -> Complaint:
    context = detail["ctx"]
    got = " and ".join(f"'{key}'" for key in context["given"]) or "none of them"
    return f"exactly one of the keys {either(context['keys'])}", got, "keep one"


def _parts_alone(detail: ErrorDetails) -> Complaint:
    beside = ", ".join(f"'{key}'" for key in detail["ctx"]["beside"])
    return "'parts' by itself", f"also {beside}", "make them parts too"


def _native_alone(detail: ErrorDetails) -> Complaint:
    beside = ", ".join(f"'{key}'" for key in detail["ctx"]["beside"])
    return "'native' by itself", f"also {beside}", "write all of the answer in the provider's words, or nothing of it"


def _members_alone(detail: ErrorDetails) -> Complaint:  # noqa: ARG001 - one of the complaints
    return "'members' beside 'text' or 'call'", "members of something else", "write them into 'native'"


def _success(detail: ErrorDetails) -> Complaint:
    return "a status from 400 to 599, or 200 with a 'body'", str(detail["ctx"]["status"]), "correct one of them"


def _one_fault(detail: ErrorDetails) -> Complaint:
    faults = " and ".join(f"'{key}'" for key in detail["ctx"]["faults"])
    return "one way for the stream to break", faults, "keep one"


def _nothing_happens(detail: ErrorDetails) -> Complaint:
    return detail["ctx"]["expected"], "nothing", "add a key, or remove 'socket'"


def _not_answered(detail: ErrorDetails) -> Complaint:
    named = " and ".join(f"'{key}'" for key in detail["ctx"]["given"])
    kind = detail["ctx"]["kind"]
    why = "its result is under 'resolve'" if kind == "external" else "its arguments are the result"
    return f"neither 'returns' nor 'raises' for a tool of kind '{kind}'", named, f"remove it: {why}"


def _asks_nothing(detail: ErrorDetails) -> Complaint:  # noqa: ARG001 - there is nothing to quote
    return "at least one of the keys equals, members, contains or lacks", "none of them", "add one, or remove the entry"


def _outcome(key: str, needed: str) -> Callable[[ErrorDetails], Complaint]:
    def complaint(detail: ErrorDetails) -> Complaint:
        named = either(f"'{outcome}'" for outcome in detail["ctx"]["outcomes"])
        return f"'{key}' only with {needed}", f"outcome {named}", f"remove '{key}'"

    return complaint


def _outcomes(detail: ErrorDetails) -> Complaint:
    return "two or more outcomes, each once", shown(detail["input"]), "write a single one without brackets"


def _literal(detail: ErrorDetails) -> Complaint:
    allowed = detail["ctx"]["expected"]
    words = [word for word in allowed.replace(" or ", ", ").replace("'", "").split(", ") if word]
    expected = allowed.replace("True", "true")
    got = _got(detail)
    return expected, got, f"write one of these{did_you_mean(str(detail['input']), words)}"


def _pattern(detail: ErrorDetails) -> Complaint:
    if detail["loc"][-1] == "name":
        return "letters, digits, '_' and '-', at most 64", _got(detail), "rename it"
    if detail["type"] == "string_too_long":
        return f"at most {detail['ctx']['max_length']:,} characters", f"{len(detail['input']):,}", "use a shorter name"
    return "lower-case words joined by hyphens", _got(detail), "write it like 'create-then-edit'"


def _type(expected: str, remedy: str) -> Callable[[ErrorDetails], Complaint]:
    return lambda detail: (expected, _got(detail), remedy)


def _mapping(detail: ErrorDetails) -> Complaint:
    if "short call" in detail["loc"]:
        return (
            "a tool with a mapping of arguments",
            _got(detail),
            "write '- TOOL: {…}'; raw text goes in the long form '- name: TOOL, arguments: TEXT'",
        )
    return "a mapping", _got(detail), "write 'key: value'"


def _bounds(detail: ErrorDetails) -> Complaint:
    context = detail["ctx"]
    if "ge" in context:
        return f"at least {context['ge']}", _got(detail), "use a larger number"
    return f"at most {context['le']}", _got(detail), "use a smaller number"


def _length(detail: ErrorDetails) -> Complaint:
    if "short call" in detail["loc"]:
        keys = _keys(detail["input"])
        return "one tool with its arguments", keys, "make one entry per call, or use the long form with 'name'"
    if detail["type"] == "too_long":
        return f"at most {detail['ctx']['max_length']:,} entries", f"{len(detail['input']):,}", "remove some"
    return "at least one entry", "none", "add one or remove the key"


def _other(detail: ErrorDetails) -> Complaint:
    return detail["msg"], _got(detail), "correct it"


def _from_context(detail: ErrorDetails) -> Complaint:
    expected, got, remedy = detail["ctx"]["said"]
    return expected, got, remedy


_WORDS: Mapping[str, Callable[[ErrorDetails], Complaint]] = {
    "said": _from_context,
    "missing": _missing,
    "one_of": _one_of,
    "parts_alone": _parts_alone,
    "native_alone": _native_alone,
    "members_alone": _members_alone,
    "one_fault": _one_fault,
    "nothing_happens": _nothing_happens,
    "success": _success,
    "not_answered": _not_answered,
    "outcomes": _outcomes,
    "asks_nothing": _asks_nothing,
    "error_outcome": _outcome("error", "outcome 'failed' or 'turn-limit'"),
    "final_outcome": _outcome("final", "an outcome that has a final event"),
    "literal_error": _literal,
    "string_pattern_mismatch": _pattern,
    "string_too_long": _pattern,
    "string_type": _type("text", "write text, in quotes if it looks like something else"),
    "string_too_short": _type("some text", "write it, or remove the key"),
    "int_type": _type("a whole number", "write a number without quotes"),
    "float_type": _type("a number", "write a number without quotes"),
    "bool_type": _type("true or false", "write one of these"),
    "list_type": _type("a list", "write '- ' before each entry"),
    "dict_type": _mapping,
    "model_type": _mapping,
    "greater_than_equal": _bounds,
    "less_than_equal": _bounds,
    "too_short": _length,
    "too_long": _length,
}
