"""Drivers of loops on Node: a folder with a package.json, which ``npm ci`` fills, and the ``node`` that runs them."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from harness.errors import BadInput

_FOLDER: Final = Path(__file__).resolve().parent / "node"
_MODULES: Final = _FOLDER / "node_modules"

INSTALL: Final = f"npm ci --prefix {_FOLDER}"
"""What a user types to get the packages of all drivers on Node."""

_LOCAL: Final = _MODULES / "node" / "bin" / "node"


@dataclass(frozen=True, slots=True)
class NodeDriver:
    """``script`` is a file of the drivers with its arguments, ``since`` the oldest major version of node for it."""

    script: tuple[str, ...]
    since: int

    def command(self, target: str) -> tuple[str, ...]:
        """The program of ``target`` with its arguments. Without a node raises ``BadInput`` with the command to type.

        A node among the packages of the drivers comes before the user's own: if that one is too old, the user can
        install the package ``node`` from the registry.
        """
        node = str(_LOCAL) if _LOCAL.exists() else shutil.which("node")
        found = None if node is None else version_of_node(node)
        if node is None or found is None or int(found.partition(".")[0]) < self.since:
            here = "there is none" if found is None else f"{node} is {found}"
            raise BadInput(
                f"--target {target} needs node {self.since} or newer, and {here}: put a newer one first on PATH, or "
                f"type npm install --no-save --prefix {_FOLDER} node@{self.since}"
            )
        name, *arguments = self.script
        return (node, str(_FOLDER / name), *arguments)


def package_version(name: str) -> str | None:
    """The version of a package of the drivers (``@anthropic-ai/sdk``); None if it is not installed."""
    try:
        described = json.loads((_MODULES / name / "package.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    version: str = described["version"]
    return version


@lru_cache
def version_of_node(node: str) -> str | None:
    """The version, such as ``20.20.2``; None if the program prints nothing like that."""
    try:
        answered = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.fullmatch(r"v(\d[\w.-]*)\s*", answered.stdout)
    return found and found[1]
