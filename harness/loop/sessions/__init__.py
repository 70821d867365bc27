"""Sessions: one conversation with one provider each, on the provider's official SDK.

The session of a wire is in the module with the wire's name (``openai-chat``: ``openai_chat``), which has ``SESSION``.
So this package needs no list of wires, and an SDK is imported when a wire's first session is opened.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from harness.errors import BadInput
from harness.wire.names import OWN_WIRES, WireName

if TYPE_CHECKING:
    from harness.loop.sessions.on_sdk import SessionOnSdk

__all__ = ["has_session", "session_of", "with_session"]


def has_session(name: WireName) -> bool:
    """Whether the reference loop has a session on the wire with this name."""
    return find_spec(_module_of(name)) is not None


def with_session() -> frozenset[WireName]:
    """The harness's own wires on which the reference loop has a session; some have cases on request only."""
    return frozenset(name for name in OWN_WIRES if has_session(name))


def session_of(name: WireName) -> SessionOnSdk:
    """The session of the wire with this name. Raises ``BadInput`` where the reference loop has none."""
    found = getattr(import_module(_module_of(name)), "SESSION", None) if has_session(name) else None
    if found is None:
        raise BadInput(
            f"the reference loop has no session on {name}, which needs an official SDK: use the target wire-only, or "
            "a loop of your own"
        )
    session: SessionOnSdk = found
    return session


def _module_of(name: WireName) -> str:
    return f"{__name__}.{name.replace('-', '_')}"
