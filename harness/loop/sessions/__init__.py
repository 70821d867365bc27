"""Sessions: one conversation with one provider each, on the provider's official SDK.

The module with a wire's name (``openai-chat``: ``openai_chat``) has its session as ``SESSION``. So this package needs
no list of wires, and an SDK is imported when a wire's first session is opened.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from harness.errors import BadInput
from harness.wire import wire
from harness.wire.names import OWN_WIRES, WireName

if TYPE_CHECKING:
    from harness.loop.sessions.on_sdk import SessionOnSdk

__all__ = ["missing", "session_of", "with_session"]

_EXTRAS: Final = {"boto3": ("botocore", "bedrock")}
"""SDKs that are not in the extra ``reference``, each with a module that shows whether it is there, and its extra."""


def missing(name: WireName) -> str:
    """The missing extra that a wire's session needs beside the extra ``reference``; empty if none is missing."""
    sdk = wire(name).provider.sdk
    module, extra = _EXTRAS.get(sdk, ("", ""))
    if not module or find_spec(module) is not None:
        return ""
    return f"the reference loop needs {sdk} on {name}: pip install 'agent-loop-harness[{extra}]'"


def with_session() -> frozenset[WireName]:
    """The harness's own wires on which the reference loop has a session. Some have cases only on request."""
    return frozenset(name for name in OWN_WIRES if not missing(name))


def session_of(name: WireName) -> SessionOnSdk:
    """The session of the wire with this name. Raises ``BadInput`` if the reference loop has none."""
    if name not in OWN_WIRES:
        raise BadInput(
            f"the reference loop has no session on {name}, which needs an official SDK: use the target wire-only, or "
            "a loop of your own"
        )
    if why := missing(name):
        raise BadInput(why)
    session: SessionOnSdk = import_module(_module_of(name)).SESSION
    return session


def _module_of(name: WireName) -> str:
    return f"{__name__}.{name.replace('-', '_')}"
