"""The extra ``reference``: the provider SDKs and Pillow, which the reference loop needs and the core does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import metadata
from typing import Final

from packaging.specifiers import SpecifierSet

from harness.errors import BadInput

REFERENCE: Final[Mapping[str, str]] = {
    "anthropic": ">=2.12,<3",
    "google-genai": ">=3.4,<4",
    "openai": ">=3.54,<4",
    "Pillow": ">=11",
}
"""The packages of the extra with their versions, as in ``pyproject.toml``; a test compares the two.

They are checked when the loop is opened, because nothing else does: the core installs beside any version of them.
"""

INSTALL: Final = "pip install 'agent-loop-harness[reference]'"


def require_reference(who: str, packages: Iterable[str] = tuple(REFERENCE)) -> None:
    """Check that ``packages`` of the extra are installed, for ``who``: a command, or an option with its value.

    Raises ``BadInput`` for packages that are missing or have another version.
    """
    if problem := unfit(packages):
        raise BadInput(f"{who} needs the reference loop: {INSTALL} ({problem})")


def unfit(packages: Iterable[str] = tuple(REFERENCE)) -> str:
    """Which packages of the extra are missing or have another version than the loop needs; empty if all fit."""
    found = {package: _version(package) for package in packages}
    missing = [package for package, version in found.items() if version is None]
    problems = [f"not installed: {', '.join(missing)}"] if missing else []
    problems += [
        f"{package} {version} is installed, expected {REFERENCE[package]}"
        for package, version in found.items()
        if version is not None and not SpecifierSet(REFERENCE[package]).contains(version, prereleases=True)
    ]
    return "; ".join(problems)


def _version(package: str) -> str | None:
    return _found(metadata.version, package)


@cache
def _found(version: Callable[[str], str], package: str) -> str | None:
    """The result of ``version``, cached: it reads all of a package's metadata, and each case asks."""
    try:
        return version(package)
    except metadata.PackageNotFoundError:
        return None
