"""The folders of a coding agent in its recordings; they differ in every run.

The redactor that removes secrets also replaces each folder by a placeholder, in requests and in answers. A played
answer gets the folders of the current run. So a model's call may name a file by its absolute path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from harness.cassette import Interaction
from harness.secrets.edits import Edit, applied, moved
from harness.secrets.framed import framed
from harness.secrets.placeholder import placeholder


def as_secrets(folders: Mapping[str, str]) -> dict[str, str]:
    """The folders by the names under which a redactor replaces them."""
    return {f"agent-{name}": path for name, path in folders.items()}


def in_folders(interaction: Interaction, folders: Mapping[str, str]) -> Interaction:
    """The interaction with these folders in its response, and with adapted chunk lengths."""
    paths = {placeholder(name): path for name, path in as_secrets(folders).items()}
    if not paths or not any(name.encode() in interaction.response for name in paths):
        return interaction
    chunks = interaction.delivery.chunks if interaction.delivery else ()
    kind = ", ".join(interaction.response_headers.get("content-type", ()))
    if inside := framed(interaction.response, kind):
        lines = [applied(line, _edits(line, paths)) for line in inside.lines]
        body, lengths = inside.with_lines(lines, inside.rest, chunks)
    else:
        text = interaction.response.decode("utf-8", "surrogateescape")
        edits = _edits(text, paths)
        body, lengths = applied(text, edits).encode("utf-8", "surrogateescape"), moved(chunks, text, edits)
    delivery = None if interaction.delivery is None else replace(interaction.delivery, chunks=lengths)
    return replace(interaction, response=body, delivery=delivery)


def _edits(text: str, paths: Mapping[str, str]) -> Sequence[Edit]:
    """The edits that insert the paths into JSON, with backslashes and quotes escaped."""
    pattern = "|".join(re.escape(name) for name in paths)
    found = re.finditer(rf"(?:{pattern})(?![a-z0-9])", text)
    return [Edit(each.start(), each.end(), _escaped_path(paths[each[0]])) for each in found]


def _escaped_path(path: str) -> str:
    return path.replace("\\", "\\\\").replace('"', '\\"')
