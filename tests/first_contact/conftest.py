"""Clients of SDKs are made for every case, and are made fast."""

from __future__ import annotations

from tests.targets.authorities import few_authorities

__all__ = ["few_authorities"]
