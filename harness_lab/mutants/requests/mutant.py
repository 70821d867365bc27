"""Breakages of a request, and changes that break nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from harness.wire.played import BaseRequest
from harness.wire.posted import Edit, Posted


@dataclass(frozen=True, slots=True)
class RequestMutant:
    """One mistake in a request: the mistake of a client, not of a test.

    One of ``rules`` must find it, on the first of ``base_requests`` the first rule. It may be made in any other valid
    request, too; which of ``rules`` finds it there depends on the request.
    """

    name: str
    summary: str
    rules: tuple[str, ...]
    edit: Edit = field(repr=False)
    base_requests: tuple[BaseRequest, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class EquivalentRequest:
    """A change after which a request is as valid as before, though one could think otherwise: ``allows`` says why.

    ``remembered``: only who knows what was sent can know that it is valid.
    """

    name: str
    summary: str
    allows: tuple[str, ...]
    edit: Edit = field(repr=False)
    base_requests: tuple[BaseRequest, ...] = field(repr=False)
    remembered: bool = False


def composed(*mutants: RequestMutant) -> RequestMutant:
    """Several mistakes at once. It can be made where at least one of them can."""

    def edit(posted: Posted) -> bool:
        made = [mutant.edit(posted) for mutant in mutants]
        return any(made)

    return RequestMutant(
        "+".join(mutant.name for mutant in mutants),
        " ".join(mutant.summary for mutant in mutants),
        tuple(dict.fromkeys(rule for mutant in mutants for rule in mutant.rules)),
        edit,
        tuple(dict.fromkeys(base for mutant in mutants for base in mutant.base_requests)),
    )
