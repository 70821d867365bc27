"""Turns a reproducer into a regression scenario, which every later run plays to every loop."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from harness.errors import BadInput
from harness.fuzz.campaigns import CAMPAIGNS
from harness.fuzz.chunks import Found
from harness.fuzz.reproducer import example_of, read, slug


def adopt(path: Path, folder: Path) -> list[Path]:
    """Write the scenario of the reproducer ``path`` into ``folder``; returns its files, the scenario first.

    Raises ``BadInput`` for a file that is no reproducer, for one that no scenario can express, and if an existing file
    has other content.
    """
    found = read(path)
    campaign = CAMPAIGNS[found.campaign].load()
    name = _name(found)
    files = campaign.scenario(
        example_of(found, path), name, f"Found by fuzzing: {campaign.oracles.get(found.oracle, found.expected)}"
    )
    if files is None:
        raise BadInput(
            f"{path}: no scenario can say this, since no loop can be made to meet it; keep the file and repeat it with "
            "'harness fuzz --replay'"
        )
    folder.mkdir(parents=True, exist_ok=True)
    return [_written(folder / file, text) for file, text in files.items()]


def _written(path: Path, text: str) -> Path:
    if path.exists() and path.read_text(encoding="utf-8") != text:
        raise BadInput(f"{path}: is there already and says something else; remove it, or choose another --out")
    path.write_text(text, encoding="utf-8")
    return path


def _name(found: Found) -> str:
    """A name that is the same for the same example, however often it is found."""
    digest = hashlib.sha256(json.dumps(found.example, sort_keys=True).encode()).hexdigest()[:8]
    return f"{found.campaign}-{slug(found.oracle)}-{digest}"
