"""The entries of a baseline file, checked; the format's errors in the words of the person who wrote it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Annotated, Any

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo
from pydantic_core import ErrorDetails, PydanticCustomError

from harness.errors import BadInput
from harness.rules import FAMILIES, RULES
from harness.runner.sources import RECORDED
from harness.scenario import CHUNKINGS, Expect
from harness.scenario.documents import Document, Key, Location
from harness.scenario.words import did_you_mean, either, shown
from harness.wire import WIRES, wire_rules

__all__ = ["TODO", "BaselineFile", "FindingEntry", "check"]

TODO = "TODO: say why"
"""The reason of an entry that a person has still to explain."""

_EXPECTATIONS = tuple(f"expect/{each.name}" for each in fields(Expect))


def _wrong(expected: str, got: str, remedy: str) -> PydanticCustomError:
    return PydanticCustomError("said", "wrong", {"said": (expected, got, remedy)})


def _pattern(text: str) -> str:
    """A pattern that some case's id can match, as far as its words show."""
    parts = text.split(".")
    if "*" not in text and len(parts) != 3:
        raise _wrong("a pattern like 'SCENARIO.*' or 'SCENARIO.WIRE.CHUNKING'", shown(text), "write all three, or '*'")
    if len(parts) == 3:
        _known(parts[1], WIRES, text)
        _known(parts[2], (*CHUNKINGS, RECORDED), text)
    return text


def _known(part: str, words: tuple[str, ...], text: str) -> None:
    if part not in words and not set(part) & set("*?["):
        raise _wrong(either(words), f"'{part}' in {shown(text)}", f"correct it{did_you_mean(part, words)}")


def _rule(text: str) -> str:
    """What a finding can be called: the rules of the wires stand for ``continuation``, which has no findings else."""
    family = text.partition("/")[0]
    if text in wire_rules() or text in _EXPECTATIONS or (text in RULES and family != "continuation"):
        return text
    expected = "a rule (order/tool-start-once), a provider's own (ANT-01) or an expectation (expect/outcome)"
    if family == "continuation":
        raise _wrong("a provider's own rule, like ANT-01", shown(text), "name those that the findings tell")
    if text in FAMILIES:
        raise _wrong(expected, f"the family {shown(text)}", "name its rules one by one")
    known = [*RULES, *wire_rules(), *_EXPECTATIONS]
    raise _wrong(expected, shown(text), f"'harness explain RULE' tells them{did_you_mean(text, known)}")


def _reason(text: str, info: ValidationInfo) -> str:
    drafts: bool = info.context["drafts"] if info.context else False
    if text.strip().upper().startswith("TODO") and not drafts:
        raise _wrong("a reason", shown(text), "say what the loop does, and why that is accepted")
    return text


def _range(text: str) -> str:
    try:
        SpecifierSet(text)
    except InvalidSpecifier:
        raise _wrong("a range of versions, like '>=2.66,<3'", shown(text), "correct it") from None
    return text


def _link(text: str) -> str:
    if not text.startswith(("https://", "http://")):
        raise _wrong("an address that begins with https://", shown(text), "correct it, or remove the key")
    return text


_Words = Annotated[str, Field(min_length=1, pattern=r"\S")]


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class FindingEntry(_Entry):
    """Findings that are expected, for one reason."""

    cases: Annotated[list[Annotated[_Words, AfterValidator(_pattern)]], Field(min_length=1)]
    rules: Annotated[list[Annotated[_Words, AfterValidator(_rule)]], Field(min_length=1)]
    reason: Annotated[_Words, AfterValidator(_reason)]
    versions: Annotated[dict[str, Annotated[_Words, AfterValidator(_range)]], Field(min_length=1)] = {}
    link: Annotated[_Words, AfterValidator(_link)] = ""


class BaselineFile(_Entry):
    """The whole file."""

    baseline: _Words
    findings: list[FindingEntry]


def check(document: Document, *, drafts: bool) -> BaselineFile:
    """The file's entries. Raises ``BadInput`` with every problem of the file, in the order in which they stand."""
    try:
        return BaselineFile.model_validate(document.data, context={"drafts": drafts})
    except ValidationError as error:
        found = [_problem(document, detail) for detail in error.errors(include_url=False)]
        raise BadInput(*(line for _, line in sorted(found))) from None


def _problem(document: Document, detail: ErrorDetails) -> tuple[tuple[int, int], str]:
    location: Location = detail["loc"]
    expected, got, remedy = _WORDS.get(detail["type"], _other)(detail)
    if detail["type"] == "extra_forbidden":
        location = (*location[:-1], Key(str(location[-1])))
    place = document.place(location)
    return (place.line, place.column), f"{place}: expected {expected}, got {got}; {remedy}"


_Said = tuple[str, str, str]
"""What was expected, what came, and what to do."""


def _got(detail: ErrorDetails) -> str:
    match detail["input"]:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case None:
            return "nothing"
        case value:
            return shown(value)


def _missing(detail: ErrorDetails) -> _Said:
    keys: Any = detail["input"]
    given = f"only {', '.join(map(shown, keys))}" if isinstance(keys, dict) and keys else "none"
    return f"the key '{detail['loc'][-1]}'", given, "add it"


def _unknown_key(detail: ErrorDetails) -> _Said:
    key = str(detail["loc"][-1])
    known = list((FindingEntry if len(detail["loc"]) > 1 else BaselineFile).model_fields)
    return f"the keys {either(known)}", shown(key), f"remove or rename it{did_you_mean(key, known)}"


def _type(expected: str, remedy: str) -> Callable[[ErrorDetails], _Said]:
    return lambda detail: (expected, _got(detail), remedy)


def _other(detail: ErrorDetails) -> _Said:
    return detail["msg"], _got(detail), "correct it"


_WORDS: Mapping[str, Callable[[ErrorDetails], _Said]] = {
    "said": lambda detail: detail["ctx"]["said"],
    "missing": _missing,
    "extra_forbidden": _unknown_key,
    "string_type": _type("text", "write text, in quotes if it looks like something else"),
    "string_too_short": _type("some text", "write it, or remove the key"),
    "string_pattern_mismatch": _type("some text", "write it, or remove the key"),
    "list_type": _type("a list", "write '- ' before each entry"),
    "dict_type": _type("a mapping", "write 'key: value'"),
    "model_type": _type("a mapping", "write 'key: value'"),
    "too_short": lambda detail: ("at least one entry", "none", "add one or remove the key"),  # noqa: ARG005
}
