"""The version of the API that a request asks for, by its header ``anthropic-version``."""

from __future__ import annotations

from collections.abc import Iterator

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.history import Settings
from harness.wire.anthropic_messages.rules.table.settings import ANT_26, ANT_VERSION
from harness.wire.base import Certainty

_VERSIONS = ("2023-01-01", "2023-06-01", "2026-10-21")
WITHOUT_SAMPLING = "2026-10-21"

_SAMPLING = ("temperature", "top_p", "top_k")


def is_at_least(settings: Settings, version: str) -> bool:
    """Whether a request asks for this version or a later one; not where its headers are not known."""
    return settings.headers.get("anthropic-version", "") >= version


def header(settings: Settings) -> Iterator[Finding]:
    """ANT-VERSION: the header is there and names a version. Nothing is said of requests whose headers are unknown."""
    version = settings.headers.get("anthropic-version")
    if version == "":
        yield ANT_VERSION.broken("anthropic-version", expected=_VERSIONS[-1], got="no such header")
    elif version is not None and version not in _VERSIONS:
        # There may be versions now that are later than those known here.
        certainty: Certainty = "likely" if version > _VERSIONS[-1] else "certain"
        expected = f"one of {', '.join(_VERSIONS)}"
        yield ANT_VERSION.broken(
            "anthropic-version",
            expected=expected,
            got=version,
            template="unknown",
            certainty=certainty,
            version=version,
        )


def sampling_is_gone(settings: Settings) -> Iterator[Finding]:
    """ANT-26: no sampling parameters from the version of October 2026 on."""
    if is_at_least(settings, WITHOUT_SAMPLING):
        for name in _SAMPLING:
            if name in settings.body:
                yield ANT_26.broken(name, expected="no such member in this version", got=name)
