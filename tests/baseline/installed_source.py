"""The code of the packages that shipped loops consist of, as it is installed here."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from harness.baseline.model import BaselineSource
from harness.targets import node_drivers
from harness.targets.node_drivers import NodeDriver
from harness.targets.shipped import SHIPPED

NODE_MODULES = Path(node_drivers.__file__).parent / "node" / "node_modules"


def on_node(target: str) -> bool:
    return isinstance(SHIPPED[target].driver, NodeDriver)


def is_installed(package: str, *, node: bool) -> bool:
    if node:
        return (NODE_MODULES / package / "package.json").is_file()
    try:
        distribution(package)
    except PackageNotFoundError:
        return False
    return True


def wrong_with(source: BaselineSource, *, node: bool) -> str:
    """Why the source confirms nothing; '' where the file contains the text. The package must be installed."""
    file = _path(source, node=node)
    if file is None or not file.is_file():
        return f"{source.package} has no file {source.file}"
    text = _one_line(file.read_text(encoding="utf-8"))
    return "" if _one_line(source.says) in text else f"{source.package}: {source.file} does not contain {source.says!r}"


def _path(source: BaselineSource, *, node: bool) -> Path | None:
    """Where the file is; None where the package has none of that name. Other packages share its folder on Python."""
    if node:
        return NODE_MODULES / source.package / source.file
    found = distribution(source.package)
    # Not ``found.files``, which makes an object of each of thousands of files, for every quote again.
    record = "\n" + (found.read_text("RECORD") or "")
    return Path(str(found.locate_file(source.file))) if f"\n{source.file}," in record else None


def _one_line(text: str) -> str:
    return " ".join(text.split())
