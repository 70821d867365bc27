"""Where a program of a target file runs, and what it finds there."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

Input = Literal["case", "nothing"]
"""What a program reads on standard input: the case (docs/command-protocol.md), or nothing at all."""


@dataclass(frozen=True, slots=True)
class Workdir:
    """The work directory of each case: a copy of ``template`` (None: empty), with ``git`` as a git repository."""

    template: Path | None = None
    git: bool = False


@dataclass(frozen=True, slots=True)
class AgentSetup:
    """What a target file says about a program's surroundings. The defaults change nothing.

    ``files`` are written into a ``fresh_home``, by their paths in it. ``by_wire`` has the values of more words, for
    each wire. With ``workdir`` None the program runs in the folder of its file. ``reads`` is what it reads on standard
    input. ``interrupt`` is the signal with which a caller cancels its run; None means a line on standard input.
    ``again`` is the command for every run of a case except the first; empty means the same command. ``compact`` is the
    command that compacts the stored conversation when its user asks for it. ``writes`` are the folders that the
    program may write in addition to those of the case.
    """

    files: Mapping[str, str] = field(default_factory=dict)
    fresh_home: bool = False
    workdir: Workdir | None = None
    by_wire: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    reads: Input = "case"
    interrupt: signal.Signals | None = None
    again: tuple[str, ...] = ()
    compact: tuple[str, ...] = ()
    writes: tuple[Path, ...] = ()

    @property
    def needs_folders(self) -> bool:
        """Whether a case has folders of its own."""
        return self.fresh_home or self.workdir is not None

    @property
    def keeps_to_folders(self) -> bool:
        """Whether its home and its work directory are both made for the case, so that it need not write elsewhere."""
        return self.fresh_home and self.workdir is not None and Path("/") not in self.writes
