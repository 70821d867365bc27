"""Reproducers: failing examples in files, which can be repeated, and turned into regression scenarios."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from harness.errors import BadInput
from harness.fuzz.campaigns import CAMPAIGNS
from harness.fuzz.chunks import Found
from harness.ground.disk import problem
from harness.runner.redacting import run_redactor

FORMAT: Final = 1

_TEXTS: Final = ("campaign", "oracle", "expected", "got")


def write(found: Found, folder: Path) -> Path:
    """Write ``folder/CAMPAIGN-ORACLE.json`` and return it. A file of that name from another run is replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{found.campaign}-{slug(found.oracle)}.json"
    text = run_redactor().redact_text  # a loop says what it likes; the example is the campaign's own
    document = {
        "format": FORMAT,
        "campaign": found.campaign,
        "target": found.target,
        "oracle": found.oracle,
        "expected": text(found.expected),
        "got": text(found.got),
        "example": found.example,
        "chunk": found.chunk,
    }
    # Halves of characters stay escapes, since no file of UTF-8 can hold them.
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return path


def slug(oracle: str) -> str:
    """An oracle's name as part of a file name; rules, which are oracles of whole loops, have a slash in theirs."""
    return oracle.replace("/", "-")


def reproducers(paths: Sequence[Path]) -> Iterator[Path]:
    """The named files, and the files in named folders. Raises ``BadInput`` if there is none."""
    for path in paths:
        if not path.is_dir():
            yield path
        elif files := sorted(path.glob("*.json")):
            yield from files
        else:
            raise BadInput(f"{path}: no reproducer (*.json) is in this folder")


def read(path: Path) -> Found:
    """The reproducer in a file. Raises ``BadInput`` for a file that is none."""
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise problem(error, str(path)) from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: expected a reproducer in JSON: {error}") from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise BadInput(f"{path}: expected a reproducer of 'harness fuzz' with \"format\": {FORMAT}")
    return _found(path, document)


def _found(path: Path, document: dict[str, Any]) -> Found:
    for name in _TEXTS:
        if not isinstance(document.get(name), str):
            raise BadInput(f"{path}: expected a text under {name!r}, got {document.get(name)!r}")
    if document["campaign"] not in CAMPAIGNS:
        known = ", ".join(CAMPAIGNS)
        raise BadInput(f"{path}: expected one of the campaigns {known}, got {document['campaign']!r}")
    target, example = document.get("target"), document.get("example")
    if not (target is None or isinstance(target, str)):
        raise BadInput(f"{path}: expected a text or null under 'target', got {target!r}")
    if not isinstance(example, dict):
        raise BadInput(f"{path}: expected an object under 'example', got {example!r}")
    texts = {name: document[name] for name in _TEXTS}
    return Found(target=target, example=example, **texts)


def example_of(found: Found, path: Path) -> Any:
    """The campaign's own example. Raises ``BadInput`` if the file contains none."""
    try:
        return CAMPAIGNS[found.campaign].load().from_json(found.example)
    except ValueError as error:
        raise BadInput(f"{path}: this is no example of the campaign {found.campaign!r}: {error}") from error
