"""Mutants and equivalent mutants of this wire, whose edits say in their docstrings what they change."""

from __future__ import annotations

from harness.wire.played import BaseRequest
from harness.wire.posted import Edit
from harness_lab.mutants.requests.mutant import EquivalentRequest, RequestMutant


def mutant(name: str, edit: Edit, rules: tuple[str, ...], *base_requests: BaseRequest) -> RequestMutant:
    """Return the mutant ``chat-NAME``; the docstring of ``edit`` is its summary."""
    return RequestMutant(f"chat-{name}", edit.__doc__ or "", rules, edit, base_requests)


def equivalent(name: str, edit: Edit, allows: tuple[str, ...], *base_requests: BaseRequest) -> EquivalentRequest:
    """Return the equivalent mutant ``chat-NAME``; the docstring of ``edit`` is its summary."""
    return EquivalentRequest(f"chat-{name}", edit.__doc__ or "", allows, edit, base_requests)
