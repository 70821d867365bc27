"""The key ``extends`` of a target file: what the file takes over from another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from harness.errors import BadInput
from harness.scenario.documents import Document, read
from harness.scenario.words import shown
from harness.targets.agent.words import PREFIX

_MERGED: Final = ("environment", "setup", "tools", "by_wire")
"""Keys whose entries are taken over one by one; any other key is replaced as a whole."""

_ALTERNATIVES: Final = ("command", "python")
_MOST: Final = 10
"""The most files that extend one another."""


@dataclass(frozen=True, slots=True)
class Extended:
    """The contents of a file and of those that it extends, and the ``folder`` to which paths are relative.

    ``agent`` is the shipped agent at the beginning, if there is one.
    """

    data: Any
    folder: Path
    agent: str = ""

    def words(self) -> Mapping[str, str]:
        """The values of ``$package`` and ``$node``: none, unless the file extends a shipped agent.

        Raises ``BadInput`` if that agent is not installed.
        """
        if not self.agent:
            return {}
        from harness.targets.installed import words_of_agent

        return words_of_agent(self.agent)


def extended(
    document: Document, path: Path, check: Callable[[Document, Any], object], seen: tuple[Path, ...] = ()
) -> Extended:
    """The file with what it extends. ``check`` checks each file that is extended. Raises ``BadInput``.

    Paths of a file that extends another are relative to the other file, unless it names its own ``directory``.
    """
    data = document.data
    other = data.get("extends") if isinstance(data, dict) else None
    if not isinstance(other, str):
        return Extended(data, path.parent)
    place = document.place(("extends",))
    agent = other.removeprefix(PREFIX) if other.startswith(PREFIX) else ""
    base_path = _shipped_file(agent, str(place)) if agent else path.parent / other
    if base_path.resolve() in (*seen, path.resolve()) or len(seen) == _MOST:
        raise BadInput(f"{place}: expected a file that does not extend this one, got {shown(other)}; correct it")
    base_document = read(base_path, base_path.parent, "target")
    base = extended(base_document, base_path, check, (*seen, path.resolve()))
    check(base_document, base.data)
    folder = path.parent if "directory" in data or "workdir" in data else base.folder
    return Extended(_merged_data(base.data, data), folder, agent or base.agent)


def _merged_data(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """``base``, overridden by ``own``. A value of the wrong shape stays unchanged, so that the check finds it."""
    replaced = {key for key in _ALTERNATIVES if any(each in own for each in _ALTERNATIVES)}
    merged = {key: value for key, value in base.items() if key not in replaced}
    for key, value in own.items():
        before = merged.get(key)
        both = key in _MERGED and isinstance(before, dict) and isinstance(value, dict)
        merged[key] = {**before, **value} if both and isinstance(before, dict) else value
    return merged


def _shipped_file(agent: str, place: str) -> Path:
    from harness.targets.installed import AGENTS, file_of, is_known, package_of

    if not is_known(agent):
        known = ", ".join(f"{PREFIX}{name}" for name in AGENTS)
        raise BadInput(f"{place}: expected one of {known}, or a file, got {shown(PREFIX + agent)}; correct it")
    try:
        package_of(agent)
    except BadInput as why:
        raise BadInput(f"{place}: {why}") from None
    return file_of(agent)
