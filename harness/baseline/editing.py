"""Changes the text of a baseline. Everything that a person has written stays, with comments and order.

A change is made in the text, which is then read back. If the result is not as expected, the file is left unchanged.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.baseline.checking import TODO
from harness.baseline.drafting import DraftEntry, head, written
from harness.baseline.holding import Unneeded
from harness.baseline.loader import load
from harness.baseline.model import Baseline, BaselineEntry, BaselineSource, LocatedText
from harness.errors import BadInput
from harness.ground.bounded_yaml import BoundedLoader
from harness.ground.disk import DRAFT, make_folder, problem, put

_EntryMembers = tuple[tuple[str, ...], tuple[str, ...], str, dict[str, str], str, tuple[BaselineSource, ...], str]
"""What an entry says, wherever it stands."""

_Edit = tuple[int, int, str]
"""Characters of a text, from one to before another, and what takes their place."""


def add(path: Path, target: str, new: Sequence[DraftEntry], *, onto: Baseline | None = None) -> None:
    """Write the entries of the existing file ``onto`` (None: there is none) and then the new ones to ``path``.

    Raises ``BadInput`` if the file is written in a way that nothing can be appended.
    """
    text = _text(onto.path) if onto is not None else head(target)
    mine = [(draft.cases, draft.rules, TODO, dict(draft.versions), "", (), "any") for draft in new]
    expected = [*(_members(entry) for entry in onto.entries), *mine] if onto is not None else mine
    _replace(path, _with(text, new), expected, "put 'findings' last, '- ' before each of its entries, or write by hand")


def remove(path: Path, found: Sequence[Unneeded], *, of: Baseline) -> None:
    """Write the file of a baseline without its unneeded parts to ``path``, which may be another file.

    Comments beside an entry stay, those in it go with it.

    Raises ``BadInput`` if the file is written in a way that nothing can be removed.
    """
    text = _text(of.path)
    expected = [_members(left) for entry in of.entries if (left := _left(entry, found)) is not None]
    otherwise = "write each entry and each word on a line of its own, or remove them by hand"
    _replace(path, _edited_text(text, _cuts(text, of, found)), expected, otherwise)


def _members(entry: BaselineEntry) -> _EntryMembers:
    return (
        _words(entry.cases),
        _words(entry.rules),
        entry.reason,
        dict(entry.versions),
        entry.link,
        entry.source,
        entry.host,
    )


def _words(some: Sequence[LocatedText]) -> tuple[str, ...]:
    return tuple(each.text for each in some)


def _text(path: Path) -> str:
    return path.read_bytes().decode("utf-8")


def _replace(path: Path, text: str, expected: Sequence[_EntryMembers], otherwise: str) -> None:
    """Put the text in the file's place in one step, once it is read back and says what is expected."""
    make_folder(path.parent, f"{path}: its folder cannot be made")
    draft = path.with_name(f".{path.name}{DRAFT}")
    try:
        draft.write_bytes(text.encode("utf-8"))
        if not _says(draft, expected):
            raise BadInput(f"{path}: expected a file that can be changed line by line, got another form; {otherwise}")
    except OSError as error:
        raise problem(error, f"{path}: cannot be written, and is as it was") from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    put(path, text.encode("utf-8"))


def _says(path: Path, expected: Sequence[_EntryMembers]) -> bool:
    try:
        return [_members(entry) for entry in load(path, drafts=True).entries] == list(expected)
    except BadInput:
        return False


# --- entries that are added ----------------------------------------------------------------------------------


def _with(text: str, new: Sequence[DraftEntry]) -> str:
    line_end = "\r\n" if "\r\n" in text else "\n"
    findings = _value(_node(text), "findings")
    indent = findings.start_mark.column if findings.value else 2
    if not findings.value:
        text = _edited_text(text, [(findings.start_mark.index, findings.end_mark.index, "")])
    lines = "".join(written(draft, indent) for draft in new).replace("\n", line_end)
    return text.rstrip() + line_end + lines


# --- what is removed -----------------------------------------------------------------------------------------


def _left(entry: BaselineEntry, found: Sequence[Unneeded]) -> BaselineEntry | None:
    """The entry without what it does not need; None where that is nothing."""
    each = next((each for each in found if each.entry is entry), None)
    if each is None:
        return entry
    cases = tuple(word for word in entry.cases if word not in each.cases)
    rules = tuple(word for word in entry.rules if word not in each.rules)
    return None if each.all else replace(entry, cases=cases, rules=rules)


def _cuts(text: str, baseline: Baseline, found: Sequence[Unneeded]) -> Iterator[_Edit]:
    top = _node(text)
    findings = _value(top, "findings")
    whole = {baseline.entries.index(each.entry) for each in found if each.all}
    yield from _without(text, findings, whole)
    if len(whole) == len(baseline.entries) and not findings.flow_style:
        colon = text.index(":", next(key for key, _ in top.value if key.value == "findings").end_mark.index) + 1
        yield colon, colon, " []"
    for each in found:
        if not each.all:
            node = findings.value[baseline.entries.index(each.entry)]
            yield from _without(text, _value(node, "cases"), _indexes(each.entry.cases, each.cases))
            yield from _without(text, _value(node, "rules"), _indexes(each.entry.rules, each.rules))


def _indexes(all_words: Sequence[LocatedText], some: Collection[LocatedText]) -> set[int]:
    return {number for number, word in enumerate(all_words) if word in some}


def _without(text: str, sequence: Any, drop: Collection[int]) -> Iterator[_Edit]:
    """The edits that take items out of a list, in either way of writing it."""
    return (_from_brackets if sequence.flow_style else _from_lines)(text, sequence, drop)


def _from_brackets(_text: str, sequence: Any, drop: Collection[int]) -> Iterator[_Edit]:
    items = sequence.value
    kept = [number for number in range(len(items)) if number not in drop]
    last = kept[-1] if kept else -1
    for number in drop:
        if number < last:
            yield items[number].start_mark.index, items[number + 1].start_mark.index, ""
    if last < len(items) - 1:
        start = items[last].end_mark.index if kept else items[0].start_mark.index
        yield start, items[-1].end_mark.index, ""


def _from_lines(text: str, sequence: Any, drop: Collection[int]) -> Iterator[_Edit]:
    starts = [_line_start(text, text.rindex("-", 0, item.start_mark.index)) for item in sequence.value]
    ends = [*starts[1:], _end(text, sequence.end_mark.index)]
    for number in drop:
        deep = _block_indent(text, sequence.value[number])
        yield starts[number], _content_end(text, starts[number], ends[number], deep), ""


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _end(text: str, at: int) -> int:
    """Where the line begins that a list ends before. libyaml says where the next token is, or the end."""
    start = _line_start(text, at)
    return len(text) if text[start:at].strip() else start


def _content_end(text: str, start: int, end: int, deep: int | None) -> int:
    """``end`` without the empty lines and comments before it: they belong to what comes next."""
    line = _line_start(text, end - 1)
    while line > start and _idle(text[line:end], deep):
        line, end = _line_start(text, line - 1), line
    return end


def _idle(line: str, deep: int | None) -> bool:
    """Whether a line says nothing. ``deep`` is from where a line is one of a text, though it looks like a comment."""
    bare = line.lstrip(" ")
    return not bare.strip() or (bare.startswith("#") and (deep is None or len(line) - len(bare) < deep))


def _block_indent(text: str, node: Any) -> int | None:
    """How far the lines are indented of a text (``|``, ``>``) that an item ends with; None where it ends otherwise."""
    while isinstance(node.value, list) and not node.flow_style:
        node = node.value[-1][1] if isinstance(node.value[-1], tuple) else node.value[-1]
    if isinstance(node.value, list) or node.style not in ("|", ">"):
        return None
    lines = text[node.start_mark.index :].split("\n")[1:]
    return next((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), None)


# --- the text as nodes ---------------------------------------------------------------------------------------


def _node(text: str) -> Any:
    loader = BoundedLoader(text)
    try:
        return loader.get_single_node()
    finally:
        loader.dispose()


def _value(mapping: Any, key: str) -> Any:
    return next(value for name, value in mapping.value if name.value == key)


def _edited_text(text: str, edits: Iterable[_Edit]) -> str:
    """The text after all edits, which do not overlap."""
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text
