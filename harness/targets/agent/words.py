"""The words that a target file may use, and their values in a case."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from harness.scenario.agent_tools import words_in
from harness.trace import JsonValue

if TYPE_CHECKING:
    from harness.targets.base import CaseRun

PREFIX: Final = "cli:"
"""How the name of a shipped agent begins."""

CASE_WORDS: Final = ("api_key", "base_url", "home", "model", "prompt", "reasons", "wire", "workdir")
"""Words whose values are known when a case runs."""

FILE_WORDS: Final = ("folder", "node", "package", "platform")
"""Words whose values are known when the file is read: the folder of the file. For an installed agent
(``targets.installed``) also the program ``node``, the folder of its packages, and npm's name for the machine
(``linux-x64``)."""

_CLOSE: Final = 0.75


def words_of_case(case_run: CaseRun, own: Mapping[str, str]) -> dict[str, JsonValue]:
    """The values of the words in a case. ``own`` are the file's own words for the wire."""
    workspace = case_run.workspace
    return {
        **own,
        "api_key": case_run.api_key,
        "base_url": case_run.base_url,
        "home": "" if workspace is None or workspace.home is None else str(workspace.home),
        "model": case_run.model,
        "prompt": "\n\n".join(text for _, text in case_run.prompt),
        "reasons": case_run.reasons,
        "wire": case_run.wire,
        "workdir": "" if workspace is None or workspace.workdir is None else str(workspace.workdir),
    }


def misspelt(value: JsonValue, known: Collection[str]) -> Iterator[tuple[str, str]]:
    """Each unknown word that is almost a known one, with the known one: ``$modle`` and ``model``.

    Any other word stays unchanged: configuration files have names that begin with ``$``.
    """
    for word in words_in(value):
        if word not in known and (close := difflib.get_close_matches(word, known, n=1, cutoff=_CLOSE)):
            yield word, close[0]
