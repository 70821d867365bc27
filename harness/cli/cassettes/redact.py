"""``harness cassettes redact``: removes secrets from existing files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from harness.cassette import Cassette, Headers, Interaction, read_cassette
from harness.cassette.document import read_document
from harness.cassette.files import only_recorder
from harness.cassette.write import document, written
from harness.cli.cassettes.table import many
from harness.errors import BadInput, Breakdown
from harness.ground.disk import put
from harness.report.terminal import visible
from harness.secrets.finder import Pattern
from harness.secrets.redactor import Redactor
from harness.secrets.scan import scan


def redact(files: Sequence[Path], patterns: Sequence[Pattern] = ()) -> int:
    """Redact cassettes in place, and print what was changed. A file without secrets is not touched.

    Raises ``BadInput`` for a file that cannot be read, that is being recorded, that would still contain a secret, or
    that is of another recorder than vcrpy (which could not read what is written). Such a file is not changed.
    """
    redactor = Redactor({}, patterns)
    problems: list[str] = []
    for path in files:
        try:
            _redact(path, redactor)
        except BadInput as error:
            problems += error.problems
        except Breakdown as error:
            raise Breakdown(*problems, *error.problems) from error
    if problems:
        raise BadInput(*problems)
    return 0


def _redact(path: Path, redactor: Redactor) -> None:
    cassette = read_cassette(path)
    _check_form(path)
    with only_recorder(path):
        redacted = [redactor.redact(each) for each in cassette.interactions]
        changes = list(_changes(cassette.interactions, redacted))
        text = document(cassette.provenance, map(written, redacted))
        leaks = scan(text)
        if leaks:
            raise BadInput(*(f"{path}: is left as it is: {leak.kind} would stay in {leak.where}" for leak in leaks))
        if changes:
            put(path, text.encode())
    _print_changes(cassette, changes)


def _check_form(path: Path) -> None:
    """Raises ``BadInput`` for a cassette whose own recorder could not read our form."""
    top: dict[Any, Any] = read_document(path).value
    requests = [each["request"] for each in top.get("interactions", ())]
    is_json = path.read_bytes().lstrip().startswith(b"{")
    if (
        is_json
        or "interactions" not in top
        or not all("uri" in each and "parsed_body" not in each for each in requests)
    ):
        raise BadInput(
            f"{path}: expected a cassette in vcrpy's YAML; its recorder could not read what would be written"
        )


def _changes(before: Sequence[Interaction], after: Sequence[Interaction]) -> Iterator[str]:
    for number, (old, new) in enumerate(zip(before, after, strict=True), 1):
        parts = [
            "url" if old.url != new.url else "",
            "request body" if old.request != new.request else "",
            "response body" if old.response != new.response else "",
            *_headers("request", old.request_headers, new.request_headers),
            *_headers("response", old.response_headers, new.response_headers),
        ]
        if changed := "; ".join(filter(None, parts)):
            yield f"interaction {number}: {changed}"


def _headers(side: str, before: Headers, after: Headers) -> Iterator[str]:
    changed = [name for name in before if name in after and before[name] != after[name]]
    gone = [name for name in before if name not in after]
    yield f"{side} headers {', '.join(changed)}" if changed else ""
    yield f"without {side} headers {', '.join(gone)}" if gone else ""


def _print_changes(cassette: Cassette, changes: Sequence[str]) -> None:
    if not changes:
        print(visible(f"{cassette.path}: nothing to redact"))
        return
    print(visible(f"{cassette.path}: {many(len(changes), 'interaction')} of {len(cassette.interactions)} redacted"))
    for change in changes:
        print(visible(f"  {change}"))
