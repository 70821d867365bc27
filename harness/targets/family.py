"""Targets that other packages add under a prefix: the entry points ``harness.targets`` (``harness/plugins.py``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, cast

from harness.plugins import load, plugins

if TYPE_CHECKING:
    from harness.gateway import Gateway
    from harness.targets.base import Target

__all__ = ["TargetFamily", "families", "family"]


class TargetFamily(Protocol):
    """Targets with a common prefix, which is the name of the entry point: ``PREFIX:NAME``."""

    @property
    def summary(self) -> str:
        """What they are, in one line."""

    def names(self) -> Sequence[str]:
        """Their names, without the prefix."""

    def open(self, name: str, gateway: Gateway) -> Target:
        """The target with this name, one of ``names()``, its requests led to ``gateway``. Raises ``BadInput`` where
        something that it needs is not installed."""


def families() -> Mapping[str, TargetFamily]:
    """Every installed family by its prefix. Raises ``BadInput`` for one that cannot be loaded."""
    return {prefix: cast(TargetFamily, load(plugin)) for prefix, plugin in plugins("harness.targets").items()}


def family(prefix: str) -> TargetFamily | None:
    """The family with this prefix; None where no installed package has one. Others are not imported."""
    plugin = plugins("harness.targets").get(prefix)
    return None if plugin is None else cast(TargetFamily, load(plugin))
