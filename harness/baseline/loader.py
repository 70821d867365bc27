"""From a file to a baseline; its mistakes as ``file:line:column: expected ..., got ...; what to do``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.baseline.model import Baseline, BaselineEntry, BaselineSource, LocatedText
from harness.baseline.places import find, named
from harness.errors import BadInput
from harness.scenario.documents import Document, Location, read
from harness.scenario.words import shown

if TYPE_CHECKING:
    from harness.baseline.checking import FindingEntry


def chosen(option: str | None, target: str) -> Baseline | None:
    """What is expected of ``target``: by the file that ``--baseline`` names, by none (``none``), or by its own.

    A file that was named counts whatever target it is for. Raises ``BadInput``.
    """
    if option == "none":
        return None
    if option is not None:
        return load(Path(option))
    own = find(target)
    return None if own is None else load(own, target=target)


def load(path: Path, *, target: str | None = None, drafts: bool = False) -> Baseline:
    """Read the baseline of ``target`` (None: any target). Raises one ``BadInput`` with all its mistakes.

    ``drafts``: accept entries whose reasons are not written yet.
    """
    from harness.baseline.checking import check  # most runs have no baseline

    document = read(path, path.parent, "baseline")
    file = check(document, drafts=drafts)
    if target is not None and file.baseline != named(target):
        place = document.place(("baseline",))
        raise BadInput(
            f"{place}: expected the target {shown(named(target))}, of which this file has the name, got "
            f"{shown(file.baseline)}; correct it, or choose a file with --baseline FILE"
        )
    entries = tuple(_entry(document, number, entry) for number, entry in enumerate(file.findings))
    return Baseline(path, file.baseline, entries)


def _entry(document: Document, number: int, entry: FindingEntry) -> BaselineEntry:
    at: Location = ("findings", number)
    return BaselineEntry(
        _written(document, entry.cases, (*at, "cases")),
        _written(document, entry.rules, (*at, "rules")),
        entry.reason,
        entry.versions,
        entry.link,
        document.place(at),
        tuple(BaselineSource(each.package, each.file, each.says) for each in entry.source),
        entry.host,
    )


def _written(document: Document, texts: list[str], at: Location) -> tuple[LocatedText, ...]:
    return tuple(LocatedText(text, document.place((*at, number))) for number, text in enumerate(texts))
