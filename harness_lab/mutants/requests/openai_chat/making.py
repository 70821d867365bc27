"""Mutants and variants of this wire, whose edits say in their docstrings what they change."""

from __future__ import annotations

from harness_lab.mutants.requests.mutant import Edit, RequestMutant, RequestVariant
from harness_lab.mutants.requests.specimens import Specimen

__all__ = ["mutant", "variant"]


def mutant(name: str, edit: Edit, rules: tuple[str, ...], *specimens: Specimen) -> RequestMutant:
    return RequestMutant(f"chat-{name}", edit.__doc__ or "", rules, edit, specimens)


def variant(name: str, edit: Edit, allows: tuple[str, ...], *specimens: Specimen) -> RequestVariant:
    return RequestVariant(f"chat-{name}", edit.__doc__ or "", allows, edit, specimens)
