"""Whether a target's loops are sealed off (``harness.sealing``), and commands that are started behind a seal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from socket import socket

from harness.runner.sources import Sources, asks_others
from harness.sealing.allowed import Sealing, files_stay_open, unsealed
from harness.targets.base import KeepsToFolders, Sealable, Target, Versioned


def why_open(target: Target, sources: Sources, asked: Sealing) -> str:
    """Why the loops of ``target`` are not sealed off here; empty if they are, or if they are the harness's own.

    Raises ``BadInput`` if ``asked`` is ``required`` and sealing is not possible.
    """
    return "" if target.isolation == "in-process" else unsealed(asked, _obstacle(target, sources))


def seals_workers(target: Target, sources: Sources, asked: Sealing) -> bool:
    """Whether loops of ``target`` run in worker processes that are sealed off here. Raises like ``why_open``."""
    return target.isolation == "worker" and not why_open(target, sources, asked)


def stays_open(target: Target, sources: Sources, asked: Sealing) -> str:
    """Why the loops of ``target`` are not sealed off on any machine; empty if that depends on the machine.

    Raises ``BadInput`` if there is a reason and ``asked`` is ``required``.
    """
    obstacle = "" if target.isolation == "in-process" else _obstacle(target, sources)
    return unsealed(asked, obstacle) if obstacle else ""


def open_note(why: str) -> str:
    """The note, in one line, of a run whose loops are not sealed off."""
    return f"network isolation is off: {why}: the loop can reach other services and hosts"


def files_note(target: Target) -> str:
    """The note of a sealed run whose loops should write only the folders of their case, but can write others.

    It is one line; empty if there is nothing to report.
    """
    if not isinstance(target, KeepsToFolders) or not target.keeps_to_folders or not (why := files_stay_open()):
        return ""
    return f"files are not sealed: {why}: the loop can write what you can"


@contextmanager
def behind_seal(target: Target) -> Iterator[tuple[Target, socket]]:
    """Yield the target, whose commands start behind a seal that exists while the block runs, and a socket that listens
    there. Raises ``HarnessError`` if the seal cannot be made."""
    from harness.sealing.commands import Spawner

    assert isinstance(target, Sealable)  # noqa: S101 - else there is a reason why it stays open
    spawner = Spawner()
    try:
        yield target.sealed(spawner.start, spawner.connection), spawner.listener()
    finally:
        spawner.close()


def versions_of(target: Target, sources: Sources, asked: Sealing) -> Mapping[str, str]:
    """The versions that a target reports. A command that prints one is sealed off like the loop."""
    if not isinstance(target, Versioned):
        return {}
    if target.isolation != "command" or not target.asks_version or why_open(target, sources, asked):
        return target.versions()
    with behind_seal(target) as (sealed, listener), listener:
        return sealed.versions() if isinstance(sealed, Versioned) else {}


def _obstacle(target: Target, sources: Sources) -> str:
    """The property of this target that prevents sealing, if any."""
    if not target.declaration.isolate:
        return "the target says 'isolate: false'"
    if target.isolation == "worker" and asks_others(sources):
        return "not possible while recording"
    if target.isolation == "command" and not isinstance(target, Sealable):
        return "the target starts its processes itself"
    return ""
