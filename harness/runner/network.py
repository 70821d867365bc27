"""Other hosts than the endpoint that the loop of a run contacted: every host once, over all cases."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase
from typing import Final
from urllib.parse import urlsplit

from harness.runner.results import BlockedHost, CaseResult

DOWNLOAD: Final = (
    "If that is a file which the loop downloads, let it find the file here: tiktoken looks for its own in the folder "
    "that TIKTOKEN_CACHE_DIR names."
)
"""Advice for a host that is neither the endpoint nor a provider."""

_MOST: Final = 5
"""Most different requests to one host that are reported."""


def blocked_hosts(cases: Iterable[CaseResult], allowed: Collection[str], *, skipped: bool) -> tuple[BlockedHost, ...]:
    """Every blocked host, in the order of the first requests.

    ``allowed`` are names of hosts whose refusal the target file allows; ``*`` in a name matches any characters.
    ``skipped``: the user wants no such findings (``--skip target/network``).
    """
    names = {each.lower() for each in allowed}
    found: dict[str, list[tuple[str, str]]] = {}
    for case in cases:
        for what in case.blocked:
            found.setdefault(host_of(what), []).append((what, case.id))
    return tuple(
        BlockedHost(
            host,
            tuple(dict.fromkeys(what for what, _ in asked))[:_MOST],
            len({case for _, case in asked}),
            asked[0][1],
            "--skip" if skipped else "allow_refused" if any(fnmatchcase(host, name) for name in names) else "",
        )
        for host, asked in found.items()
    )


def host_of(what: str) -> str:
    """The host of a request that was refused, in lower case.

    ``what`` is a verb and an address: ``CONNECT HOST:PORT``, ``look up HOST``, ``GET http://HOST/PATH``.
    """
    word = next((each for each in what.split()[1:] if each != "up"), what)
    try:
        name = urlsplit(word if "://" in word else f"//{word}").hostname
    except ValueError:  # brackets without an address of version 6 in them
        name = None
    if word.count(":") > 1 and "[" not in word and "://" not in word:  # an address of version 6, with its port
        name = word.rpartition(":")[0]
    return (name or word).rstrip(".").lower()
