"""The code of the packages that shipped loops consist of, as it is installed here."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from harness.baseline.model import BaselineSource
from harness.targets import node_drivers
from harness.targets.installed import AGENTS, file_of, folder_of
from harness.targets.node_drivers import NodeDriver
from harness.targets.shipped import SHIPPED

NODE_MODULES = Path(node_drivers.__file__).parent / "node" / "node_modules"


def modules_of(target: str) -> Path | None:
    """The folder with the npm packages of a target; None for one in Python."""
    agent = target.removeprefix("cli:")
    if agent in AGENTS:
        return folder_of(agent) / "node_modules"
    return NODE_MODULES if on_node(target) else None


def is_compiled(target: str) -> bool:
    """Whether a target is a program without readable code."""
    agent = target.removeprefix("cli:")
    return agent in AGENTS and ("$platform" in file_of(agent).read_text(encoding="utf-8") or agent in LAUNCHED)


LAUNCHED = frozenset({"codex"})
"""Agents whose package in JavaScript only starts a compiled program."""


def on_node(target: str) -> bool:
    """Whether a target with a driver runs on Node."""
    return isinstance(SHIPPED[target].driver, NodeDriver)


def is_installed(package: str, modules: Path | None) -> bool:
    if modules is not None:
        return (modules / package / "package.json").is_file()
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def wrong_with(source: BaselineSource, modules: Path | None) -> str:
    """Why the source confirms nothing; '' where the file contains the text. The package must be installed."""
    file = _path(source, modules)
    if file is None or not file.is_file():
        return f"{source.package} has no file {source.file}"
    text = _one_line(file.read_text(encoding="utf-8"))
    return "" if _one_line(source.says) in text else f"{source.package}: {source.file} does not contain {source.says!r}"


def _path(source: BaselineSource, modules: Path | None) -> Path | None:
    """Where the file is; None where the package has none of that name. Other packages share its folder on Python."""
    if modules is not None:
        return modules / source.package / source.file
    found = distribution(source.package)
    # Not ``found.files``, which makes an object of each of thousands of files, for every quote again.
    record = "\n" + (found.read_text("RECORD") or "")
    return Path(str(found.locate_file(source.file))) if f"\n{source.file}," in record else None


def _one_line(text: str) -> str:
    return " ".join(text.split())
