"""The entries of a baseline file, checked; the format's errors in the words of the person who wrote it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from pydantic import AfterValidator, Field, ValidationInfo
from pydantic_core import PydanticCustomError

from harness.baseline.model import Host
from harness.doctor import CHECKS
from harness.rules import RULES, families
from harness.rules.catalogue import current
from harness.runner.sources import RECORDED
from harness.scenario import CHUNKINGS
from harness.scenario.authored import Authored
from harness.scenario.authored.base import Words
from harness.scenario.checking import checked
from harness.scenario.documents import Document
from harness.scenario.missed import EXPECTATIONS
from harness.scenario.words import did_you_mean, either, shown
from harness.servers.rules import every_rule
from harness.wire import wire_names, wire_rules

_OF_GATEWAYS = ("gateway/request", "gateway/answer")
"""What the answers of a gateway can break beside the rules about answers."""

TODO = "TODO: say why"
"""The reason of an entry that a person has still to explain."""

_SHORTEST = 12
"""Characters of a text that confirms something. Shorter ones are in most files."""


def _wrong(expected: str, got: str, remedy: str) -> PydanticCustomError:
    return PydanticCustomError("said", "wrong", {"said": (expected, got, remedy)})


def _pattern(text: str) -> str:
    """Check a pattern: judged by its words, it must be able to match some case's id."""
    parts = text.split(".")
    if "*" not in text and len(parts) != 3:
        raise _wrong("a pattern like 'SCENARIO.*' or 'SCENARIO.WIRE.CHUNKING'", shown(text), "write all three, or '*'")
    if len(parts) == 3:
        _known(parts[1], wire_names(), text)
        if not parts[2].startswith("to-"):  # of a gateway: to an upstream, whose name is the user's own
            _known(parts[2], (*CHUNKINGS, RECORDED), text)
    return text


def _known(part: str, words: tuple[str, ...], text: str) -> None:
    if part not in words and not set(part) & set("*?["):
        raise _wrong(either(words), f"'{part}' in {shown(text)}", f"correct it{did_you_mean(part, words)}")


def _rule(text: str) -> str:
    """What a finding can be called: the rules of the wires stand for ``continuation``, which has no findings else."""
    text = current(text)
    family = text.partition("/")[0]
    if text in wire_rules() or text in EXPECTATIONS or (text in RULES and family != "continuation"):
        return text
    if text in every_rule() or text in _OF_GATEWAYS or text in CHECKS:
        return text
    expected = "a rule (order/tool-start-once), a provider's own (ANT-01) or an expectation (expect/outcome)"
    if family == "continuation":
        raise _wrong("a provider's own rule, like ANT-01", shown(text), "name those of the findings")
    if text in families():
        raise _wrong(expected, f"the family {shown(text)}", "name its rules one by one")
    known = [*RULES, *wire_rules(), *EXPECTATIONS, *CHECKS]
    raise _wrong(expected, shown(text), f"'harness explain RULE' lists them{did_you_mean(text, known)}")


def _reason(text: str, info: ValidationInfo) -> str:
    if not text.strip():
        raise _wrong("some text", shown(text), "write it")
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


def _file(text: str) -> str:
    """A path inside a package, so that no baseline can name a file elsewhere on the machine."""
    folders = text.split("/")
    if "\\" in text or any(not folder.strip(".") for folder in folders):
        raise _wrong("a path inside the package, like 'agents/tool.py'", shown(text), "write it with '/', without '..'")
    return text


def _says(text: str) -> str:
    if len(text.strip()) < _SHORTEST:
        raise _wrong(f"at least {_SHORTEST} characters of the file's text", shown(text), "quote a whole line")
    return text


class SourceEntry(Authored):
    """A place in the code of a package that confirms the reason."""

    package: Words
    file: Annotated[Words, AfterValidator(_file)]
    says: Annotated[Words, AfterValidator(_says)]


class FindingEntry(Authored):
    """Findings that are expected, for one reason."""

    cases: Annotated[list[Annotated[Words, AfterValidator(_pattern)]], Field(min_length=1)]
    rules: Annotated[list[Annotated[Words, AfterValidator(_rule)]], Field(min_length=1)]
    reason: Annotated[Words, AfterValidator(_reason)]
    versions: Annotated[dict[str, Annotated[Words, AfterValidator(_range)]], Field(min_length=1)] = {}  # noqa: RUF012 - pydantic copies it
    link: Annotated[Words, AfterValidator(_link)] = ""
    source: Annotated[list[SourceEntry], Field(min_length=1)] = []  # noqa: RUF012 - pydantic copies it
    host: Host = "any"


class BaselineFile(Authored):
    """The whole file."""

    baseline: Words
    findings: list[FindingEntry]


_ENTRIES: Mapping[str, type[Authored]] = {"": BaselineFile, "findings": FindingEntry, "source": SourceEntry}
"""Which entry the last name of a location stands for."""


def check(document: Document, *, drafts: bool) -> BaselineFile:
    """The file's entries. Raises ``BadInput`` with every problem of the file, in the order of the file."""
    return checked(document, BaselineFile, _ENTRIES, {"drafts": drafts})
