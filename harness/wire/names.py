"""The names of the wires. This module is cheap to import, because options and files are checked before a wire is
loaded.

The harness brings seven wires; other packages add theirs by the entry points ``harness.wires``
(``docs/add-a-wire.md``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

from harness.errors import BadInput
from harness.plugins import Plugin, plugins

WireName = str
"""The name of a wire. It is any string, because packages add wires: ``known_wire`` checks names from outside."""

NativeWireName = WireName
"""The name of a wire with native tool calls, as a provider's API has them."""

_MODULES: Final[Mapping[WireName, str]] = {
    "openai-responses": "harness.wire.openai_responses",
    "openai-chat": "harness.wire.openai_chat",
    "anthropic-messages": "harness.wire.anthropic_messages",
    "gemini-generate": "harness.wire.gemini_generate",
    "text-tags": "harness.wire.text_tags",
    "bedrock-converse": "harness.wire.bedrock_converse",
    "gemini-interactions": "harness.wire.gemini_interactions",
}

_DIALECTS: Final = frozenset({"text-tags"})

_ON_REQUEST: Final = frozenset({"bedrock-converse", "gemini-interactions"})
"""The wires with a true ``Wire.on_request``."""

OWN_WIRES: Final[tuple[WireName, ...]] = tuple(_MODULES)
"""The wires of the harness itself, in the order in which reports list them."""

WIRES: Final[tuple[WireName, ...]] = tuple(name for name in OWN_WIRES if name not in _ON_REQUEST)
"""The wires of a run for which nobody names wires. The reference loop has a session on each of them."""

NATIVE_WIRES: Final[tuple[NativeWireName, ...]] = tuple(name for name in WIRES if name not in _DIALECTS)
"""The ``WIRES`` with native tool calls, as a provider's API has them."""

OWN_NATIVE_WIRES: Final[tuple[NativeWireName, ...]] = tuple(name for name in OWN_WIRES if name not in _DIALECTS)
"""The ``OWN_WIRES`` with native tool calls."""

_GROUP: Final = "harness.wires"
_NAME: Final = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")


@cache
def wire_names() -> tuple[WireName, ...]:
    """All installed wires: first the harness's own, then those from other packages, sorted by name.

    Raises ``BadInput`` if a package adds a wire under a name that is taken.
    """
    return (*OWN_WIRES, *sorted(added_wires()))


@cache
def added_wires() -> Mapping[WireName, Plugin]:
    """The wires of other packages. None of them is imported.

    Raises ``BadInput`` if one has the name of a wire of the harness, or a name that cannot be part of a case id.
    """
    found = plugins(_GROUP)
    for name, plugin in found.items():
        if problem := _problem(name):
            raise BadInput(
                f"{plugin.package} {plugin.version}: its entry point {name!r} in {_GROUP} {problem}; rename it"
            )
    return found


def _problem(name: str) -> str:
    if name in _MODULES:
        return "has the name of a wire of the harness"
    return "" if _NAME.fullmatch(name) else "is no name in lower case with hyphens, like acme-chat"


def module_of(name: WireName) -> str:
    """The module of a wire of the harness. Raises ``KeyError`` for any other."""
    return _MODULES[name]


def known_wire(name: str) -> WireName:
    """``name``, if there is such a wire. Raises ``BadInput``, which lists the wires, if there is none."""
    if name not in wire_names():
        raise BadInput(f"expected a wire of {', '.join(wire_names())}; got {name!r}: choose one of these")
    return name
