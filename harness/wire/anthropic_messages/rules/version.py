"""The version of the API that a request asks for, by its header ``anthropic-version``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from harness.finding import Finding
from harness.wire.anthropic_messages.rules.book import SETTINGS_RULES
from harness.wire.anthropic_messages.rules.history import Settings
from harness.wire.anthropic_messages.rules.places import ask_for_version
from harness.wire.base import Certainty
from harness.wire.posted import Posted, Right, Wrong, put
from harness.wire.rule import ErrorTemplate, WireRule, verbatim

_VERSIONS = ("2023-01-01", "2023-06-01", "2026-10-21")
WITHOUT_SAMPLING = "2026-10-21"

_SAMPLING = ("temperature", "top_p", "top_k")


def is_at_least(settings: Settings, version: str) -> bool:
    """Whether a request asks for this version or a later one; False if its headers are not known."""
    return settings.headers.get("anthropic-version", "") >= version


def _forget_the_version(posted: Posted) -> bool:
    posted.headers.pop("anthropic-version", None)
    return put([posted.headers], **{"x-api-key": "key"})


ANT_VERSION: Final = WireRule(
    "ANT-VERSION",
    "The header anthropic-version names a version of the API.",
    "A hand-written client forgets the header, and a proxy drops it.",
    "certain",
    (
        "https://github.com/PipedreamHQ/pipedream/issues/9697",
        "https://github.com/envoyproxy/ai-gateway/pull/1909",
        "https://github.com/directus-labs/extensions/issues/285",
        "that a date is no version is likely only where it is later than those known here",
    ),
    (
        verbatim("anthropic-version: header is required", name="missing"),
        ErrorTemplate(
            'anthropic-version: "{version}" is not a valid version',
            seen='anthropic-version: "2023-10-01" is not a valid version',
            name="unknown",
        ),
    ),
    wrong=(
        Wrong("ant-version-missing", "There is no anthropic-version.", _forget_the_version, "version-of-2023"),
        Wrong(
            "ant-version-unknown",
            "The version is a date on which there was none.",
            lambda it: ask_for_version(it, "2023-10-01"),
            "version-of-2023 one-call",
            says="unknown",
        ),
        Wrong(
            "ant-version-to-come",
            "The version is later than all that are known here.",
            lambda it: ask_for_version(it, "2031-01-01"),
            "version-of-2023",
            says="unknown",
        ),
    ),
)


@SETTINGS_RULES.check("version", ANT_VERSION)
def header(settings: Settings) -> Iterator[Finding]:
    """ANT-VERSION: the header is there and names a version. Requests with unknown headers are not judged."""
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


ANT_26: Final = WireRule(
    "ANT-26",
    "A request has no temperature, top_p or top_k.",
    "An SDK upgrade changes the version header, and settings that were accepted for years are refused.",
    "certain",
    (
        "https://platform.claude.com/docs/en/api/migration-2026-10-21",
        "the text is that of unknown members",
    ),
    (
        ErrorTemplate(
            "{at}: Extra inputs are not permitted", seen="temperature: Extra inputs are not permitted", name="removed"
        ),
    ),
    applies="anthropic-version 2026-10-21 and later",
    wrong=(
        Wrong(
            "ant-sampling-in-a-new-version",
            "A temperature is sent with the API version of October 2026.",
            lambda it: ask_for_version(it, WITHOUT_SAMPLING) and put([it.body], temperature=1.0),
            "version-of-2026 version-of-2023 one-call",
        ),
    ),
    right=(
        Right(
            "ant-sampling-in-an-old-version",
            "A temperature of 1 in an older version.",
            lambda it: put([it.body], temperature=1.0),
            "version-of-2023",
            also=("ANT-SAMPLING",),
        ),
    ),
)


@SETTINGS_RULES.check("members", ANT_26)
def sampling_is_gone(settings: Settings) -> Iterator[Finding]:
    """ANT-26: no sampling parameters from the version of October 2026 on."""
    if is_at_least(settings, WITHOUT_SAMPLING):
        for name in _SAMPLING:
            if name in settings.body:
                yield ANT_26.broken(name, expected="no such member in this version", got=name)
