"""What blocks, tools and documents are made of: BED-08, 09, 12 to 18, 20, 22 to 24, 26."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from harness.finding import Finding
from harness.wire.base import Json
from harness.wire.bedrock_converse.models import CLAUDE
from harness.wire.bedrock_converse.rules.request import BLOCKS, Block, ConverseRequest, Entry, Found, brief
from harness.wire.bedrock_converse.rules.table import (
    BED_08,
    BED_09,
    BED_12,
    BED_13,
    BED_14,
    BED_15,
    BED_16,
    BED_17,
    BED_18,
    BED_20,
    BED_22,
    BED_23,
    BED_24,
    BED_26,
)
from harness.wire.lenient import entries, members, objects, string
from harness.wire.rule import WireRule

_LONGEST: Final = 64
_MOST_DOCUMENTS: Final = 5
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]+")
_ID: Final = re.compile(r"[a-zA-Z0-9_.:-]+")
_OF_A_FILE: Final = re.compile(r"[./\\:,;!?@#&%*+='\"<>|~^$`{}]")
"""Characters that no name may have. Which letters beyond ASCII may be in one was not seen."""


# --- blocks -------------------------------------------------------------------------------------------------


def blocks_known(request: ConverseRequest) -> Found:
    """BED-17."""
    for entry in request.entries:
        if entry.content is None:
            continue
        if not isinstance(entry.content, list):
            kind, value = type(entry.content).__name__, brief(entry.content)
            at, expected = f"{entry.at}.content", "a list of blocks"
            yield BED_17.broken(at, template="list", expected=expected, got=value, value=value, type=kind)
        for block in entry.blocks:
            yield from _one_member(block)


def _one_member(block: Block) -> Iterator[Finding]:
    unknown = [name for name in block.native if name not in BLOCKS]
    if unknown:
        expected = "a member of the API"
        yield BED_17.broken(block.at, template="unknown", expected=expected, got=unknown[0], name=unknown[0])
    elif len(block.native) != 1:
        yield BED_17.broken(block.at, expected="one member", got=brief(", ".join(block.native) or "none"))


def contents_present(request: ConverseRequest) -> Found:
    """BED-08."""
    for entry in request.entries:
        if entry.content in (None, [], ""):
            yield BED_08.broken(entry.at, expected="content", got="none")


def texts_present(request: ConverseRequest) -> Found:
    """BED-09. A text of white space beside other blocks is accepted."""
    for entry in request.entries:
        texts = [block for block in entry.blocks if block.kind == "text" and isinstance(block.value, str)]
        for block in texts:
            if not block.value:
                yield BED_09.broken(block.at, expected="a text", got="an empty one")
        if len(texts) == len(entry.blocks) and not any(block.value.strip() for block in texts):
            for block in texts[:1]:
                if block.value:
                    yield BED_09.broken(block.at, template="white", expected="a text", got="white space alone")


def inputs_are_objects(request: ConverseRequest) -> Found:
    """BED-12."""
    for entry in request.entries:
        for block in entry.blocks:
            called = block.value if block.kind == "toolUse" else None
            if isinstance(called, dict) and not isinstance(called.get("input", {}), dict):
                at = f"{block.at}.toolUse.input"
                yield BED_12.broken(at, expected="a JSON object", got=brief(called["input"]))


def results_are_objects(request: ConverseRequest) -> Found:
    """BED-13."""
    for entry in request.entries:
        for block in entry.results:
            for number, inner in enumerate(entries(members(block.value).get("content"))):
                if isinstance(inner, dict) and "json" in inner and not isinstance(inner["json"], dict):
                    at = f"{block.at}.toolResult.content.{number}.json"
                    yield BED_13.broken(at, expected="a JSON object", got=brief(inner["json"]))


def cache_points_behind_something(request: ConverseRequest) -> Found:
    """BED-16."""
    for entry in request.entries:
        if entry.blocks and entry.blocks[0].kind == "cachePoint":
            yield BED_16.broken(entry.blocks[0].at, expected="a block in front", got="the cachePoint first")


# --- names and ids ------------------------------------------------------------------------------------------


def names_valid(request: ConverseRequest) -> Found:
    """BED-14, where a tool is declared, chosen and called. In these places the service counts from 1."""
    for number, spec in enumerate(request.specs):
        yield from _name(spec, f"toolConfig.tools.{number + 1}.member.toolSpec.name")
    chosen = members(request.tool_config.get("toolChoice")).get("tool")
    if isinstance(chosen, dict):
        yield from _name(chosen, "toolConfig.toolChoice.tool.name")
    for entry in request.entries:
        for block in entry.calls:
            yield from _name(members(block.value), f"{_counted(entry, block)}.toolUse.name")


def _name(holder: Json, member: str) -> Iterator[Finding]:
    name = holder.get("name")
    if isinstance(name, str):
        yield from _constrained(BED_14, name, _NAME, member, pattern=None, long="long")


def ids_valid(request: ConverseRequest) -> Found:
    """BED-15."""
    for entry in request.entries:
        for block in (*entry.calls, *entry.results):
            id_ = members(block.value).get("toolUseId")
            if isinstance(id_, str):
                member = f"{_counted(entry, block)}.{block.kind}.toolUseId"
                yield from _constrained(BED_15, id_, _ID, member, pattern="pattern", long=None)


def _constrained(
    rule: WireRule, value: str, wanted: re.Pattern[str], member: str, *, pattern: str | None, long: str | None
) -> Iterator[Finding]:
    if wanted.fullmatch(value) is None:
        expected = f"characters of {wanted.pattern}"
        yield rule.broken(member, template=pattern, expected=expected, got=brief(value) or "none", member=member)
    elif len(value) > _LONGEST:
        expected = f"at most {_LONGEST} characters"
        yield rule.broken(member, template=long, expected=expected, got=str(len(value)), member=member, bound=())


def _counted(entry: Entry, block: Block) -> str:
    number = int(block.at.rpartition(".")[2])
    return f"messages.{entry.number + 1}.member.content.{number + 1}.member"


def some_tools(request: ConverseRequest) -> Found:
    """BED-18."""
    if request.tool_config.get("tools") == []:
        yield BED_18.broken("toolConfig.tools", expected="a tool", got="none")


def tool_names_differ(request: ConverseRequest) -> Found:
    """BED-26."""
    if not request.fact(CLAUDE):
        return
    counts = Counter(name for spec in request.specs if (name := string(spec.get("name"))))
    for name, count in counts.items():
        if count > 1:
            yield BED_26.broken("toolConfig.tools", expected="names that differ", got=f"{brief(name)} {count} times")


# --- documents ----------------------------------------------------------------------------------------------


def _documents(request: ConverseRequest) -> Iterator[tuple[str, Any]]:
    """Each document with its place, those in results among them."""
    for entry in request.entries:
        for block in entry.blocks:
            if block.kind == "document":
                yield f"{block.at}.document", block.value
            for number, inner in enumerate(objects(members(block.value).get("content"))):
                if block.kind == "toolResult" and "document" in inner:
                    yield f"{block.at}.toolResult.content.{number}.document", inner["document"]


def documents_named(request: ConverseRequest) -> Found:
    """BED-20. Letters of other alphabets than ASCII's are not judged."""
    for at, document in _documents(request):
        name = string(members(document).get("name"))
        if _OF_A_FILE.search(name) or re.search(r"\s\s", name):
            yield BED_20.broken(f"{at}.name", expected="letters, digits, spaces, - ( ) [ ]", got=brief(name))


def documents_with_text(request: ConverseRequest) -> Found:
    """BED-22."""
    for entry in request.entries:
        kinds = {block.kind for block in entry.blocks}
        if entry.role == "user" and "document" in kinds and not kinds & {"text", "guardContent", "toolResult"}:
            yield BED_22.broken(f"{entry.at}.content", expected="a text", got=", ".join(sorted(kinds)))


def document_names_differ(request: ConverseRequest) -> Found:
    """BED-23."""
    counts = Counter(name for _, document in _documents(request) if (name := string(members(document).get("name"))))
    for name, count in counts.items():
        if count > 1:
            yield BED_23.broken("messages", expected="names that differ", got=f"{brief(name)} {count} times")


def documents_few(request: ConverseRequest) -> Found:
    """BED-24."""
    count = sum(1 for _ in _documents(request))
    if count > _MOST_DOCUMENTS:
        yield BED_24.broken("messages", expected=f"at most {_MOST_DOCUMENTS} documents", got=str(count), bound=())
