"""Requests of Chat Completions, broken on purpose."""

from __future__ import annotations

from harness.mutants.requests.mutant import Mutant, Variant
from harness.mutants.requests.specimens import Posted, Specimen
from harness.wire import Call, Stop, Text, Turn

__all__ = ["MUTANTS", "SPECIMENS", "VARIANTS"]

_LIST = Call("list_files", '{"path": "src"}')
_READ = Call("read_file", '{"path": "src/app.py"}')

ONE_CALL = Specimen("chat-one-call", "openai-chat", "gpt-4.1", (Turn((_READ,), Stop.TOOL_CALLS),))
TWO_CALLS = Specimen(
    "chat-two-calls", "openai-chat", "gpt-4.1", (Turn((Text("I look."), _LIST, _READ), Stop.TOOL_CALLS),)
)

SPECIMENS: tuple[Specimen, ...] = (ONE_CALL, TWO_CALLS)


def forget_a_result(posted: Posted) -> bool:
    """The last tool message is not sent."""
    messages = posted.body["messages"]
    last = next((at for at in reversed(range(len(messages))) if messages[at]["role"] == "tool"), None)
    if last is None:
        return False
    del messages[last]
    return True


MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "chat-result-forgotten",
        "The answer to the last call is not sent.",
        ("OAC-03",),
        forget_a_result,
        (TWO_CALLS, ONE_CALL),
    ),
)
VARIANTS: tuple[Variant, ...] = ()
