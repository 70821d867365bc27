"""The wires that generated loops speak, one module for each."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from harness_lab.freedoms.speaker import Speaker

__all__ = ["SPEAKERS"]

_MODULES = (import_module(f"{__name__}.{each.name}") for each in iter_modules(__path__))
SPEAKERS: dict[str, type[Speaker]] = {module.SPEAKER.wire: module.SPEAKER for module in _MODULES}
"""The speaker of each wire."""
