"""Determines which entries apply to the installed versions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version

from packaging.specifiers import SpecifierSet
from packaging.version import InvalidVersion, Version

from harness.baseline.model import Baseline, BaselineEntry
from harness.targets.agent.words import PREFIX
from harness.targets.installed import agent_of, installed_version, package_of
from harness.targets.shipped import SHIPPED


@dataclass(frozen=True, slots=True)
class OutOfForce:
    """An entry that does not count: ``package`` is installed in ``found`` (None: not at all), out of its range."""

    entry: BaselineEntry
    package: str
    found: str | None


def installed(target: str) -> dict[str, str]:
    """The versions of a target's packages, by name, its own first; none for a loop that has no driver of ours."""
    if agent_of(target):
        agent = target.removeprefix(PREFIX)
        found = installed_version(agent)
        return {} if found is None else {package_of(agent)[0]: found}
    shipped = SHIPPED.get(target)
    versions = shipped.versions if shipped is not None else {}
    return {package: found for package, found in versions.items() if found is not None}


def in_force(
    baseline: Baseline, versions: Mapping[str, str], *, provider: bool = False
) -> tuple[tuple[BaselineEntry, ...], tuple[OutOfForce, ...]]:
    """The entries that count, and those that do not because of what is installed.

    ``versions`` are the target's (``installed``). If an entry names another package, the version of the Python package
    with this name counts. ``provider``: the loop reaches the endpoint at the provider's own host.
    """
    entries = tuple(entry for entry in baseline.entries if entry.counts_at(provider=provider))
    out = {id(each.entry): each for each in _out(entries, versions)}
    return tuple(entry for entry in entries if id(entry) not in out), tuple(out.values())


def _out(entries: tuple[BaselineEntry, ...], versions: Mapping[str, str]) -> Iterator[OutOfForce]:
    for entry in entries:
        for package, wanted in entry.versions.items():
            found = versions.get(package) or _of_python(package)
            if found is None or not _within(found, wanted):
                yield OutOfForce(entry, package, found)
                break


def _of_python(package: str) -> str | None:
    try:
        return version(package)
    except (PackageNotFoundError, ValueError):  # ValueError: what can be no package's name
        return None


def _within(found: str, wanted: str) -> bool:
    """Whether a version is in a range. A pre-release counts as its release."""
    try:
        return SpecifierSet(wanted).contains(Version(found), prereleases=True)
    except InvalidVersion:
        return False


def range_of(found: str) -> str:
    """From this version to where the package may change what it does: ``2.66.0`` gives ``>=2.66,<3``.

    Before 1.0 that is the next minor version.
    """
    major, minor = Version(found).major, Version(found).minor
    return f">={major}.{minor},<{major + 1}" if major else f">=0.{minor},<0.{minor + 1}"
