"""Where baselines are: in the folder ``baselines`` of the working directory, and those that come with the harness."""

from __future__ import annotations

import re
from pathlib import Path

from harness.targets.agent.words import PREFIX

_FOLDER = Path("baselines")
_LONGEST = 100
"""Characters of a file's name. A command may be longer."""


def shipped() -> Path:
    """The folder of the baselines that come with the harness."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_data" / "baselines"
    return installed if installed.is_dir() else package.parent / "baselines"


def named(target: str) -> str:
    """The target that a baseline names: one of an agent is for all its versions, by the ranges of its entries."""
    return target.partition("@")[0] if target.startswith(PREFIX) else target


def place_of(target: str) -> Path:
    """The file of a target, as a user writes it.

    It has the target's name, with one hyphen for whatever is no letter, digit, ``_`` or ``.``: the baseline of
    ``my_package.agent:run`` is ``baselines/my_package.agent-run.yaml``.
    """
    return _FOLDER / f"{re.sub(r'[^A-Za-z0-9_.]+', '-', named(target)).strip('-.')[:_LONGEST]}.yaml"


def find(target: str) -> Path | None:
    """The file that says what is expected of a target: the user's own, else the one that comes with the harness."""
    own = place_of(target)
    return next((file for file in (own, shipped() / own.name) if file.is_file()), None)
