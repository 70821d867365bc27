"""``extends`` of a target file: what it takes over from another one."""

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
"""Files that extend one another."""


@dataclass(frozen=True, slots=True)
class Extended:
    """What a file says together with those that it extends, and the ``folder`` to which paths are relative.

    ``agent`` is the shipped agent at the beginning, if there is one.
    """

    data: Any
    folder: Path
    agent: str = ""

    def words(self) -> Mapping[str, str]:
        """What ``$package`` and ``$node`` stand for: nothing, unless it begins with a shipped agent.

        Raises ``BadInput`` where that is not installed.
        """
        if not self.agent:
            return {}
        from harness.targets.installed import words_of_agent

        return words_of_agent(self.agent)


def extended(
    document: Document, path: Path, check: Callable[[Document, Any], object], seen: tuple[Path, ...] = ()
) -> Extended:
    """The file with what it extends. ``check`` checks each file that is extended. Raises ``BadInput``.

    Paths of a file that extends another are relative to that one, unless it names a ``directory`` of its own.
    """
    data = document.data
    other = data.get("extends") if isinstance(data, dict) else None
    if not isinstance(other, str):
        return Extended(data, path.parent)
    place = document.place(("extends",))
    agent = other.removeprefix(PREFIX) if other.startswith(PREFIX) else ""
    base_path = _shipped(agent, str(place)) if agent else path.parent / other
    if base_path.resolve() in (*seen, path.resolve()) or len(seen) == _MOST:
        raise BadInput(f"{place}: expected a file that does not extend this one, got {shown(other)}; correct it")
    base_document = read(base_path, base_path.parent, "target")
    base = extended(base_document, base_path, check, (*seen, path.resolve()))
    check(base_document, base.data)
    folder = path.parent if "directory" in data or "workdir" in data else base.folder
    return Extended(_merged(base.data, data), folder, agent or base.agent)


def _merged(base: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """``own`` over ``base``. A value of the wrong shape stays as it is, for the check to find."""
    replaced = {key for key in _ALTERNATIVES if any(each in own for each in _ALTERNATIVES)}
    merged = {key: value for key, value in base.items() if key not in replaced}
    for key, value in own.items():
        before = merged.get(key)
        both = key in _MERGED and isinstance(before, dict) and isinstance(value, dict)
        merged[key] = {**before, **value} if both and isinstance(before, dict) else value
    return merged


def _shipped(agent: str, place: str) -> Path:
    from harness.targets.installed import AGENTS, file_of, is_known, package_of

    if not is_known(agent):
        known = ", ".join(f"{PREFIX}{name}" for name in AGENTS)
        raise BadInput(f"{place}: expected one of {known}, or a file, got {shown(PREFIX + agent)}; correct it")
    try:
        package_of(agent)
    except BadInput as why:
        raise BadInput(f"{place}: {why}") from None
    return file_of(agent)
