"""What a sound gateway of Chat Completions does with calls."""

from __future__ import annotations

from dataclasses import replace

from harness.wire import Call


def with_signature(call: Call) -> Call:
    """A call with its signature where Google's own server of this wire has it."""
    if not call.signature:
        return call
    return replace(call, members={**call.members, "extra_content": {"google": {"thought_signature": call.signature}}})
