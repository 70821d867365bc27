"""The model endpoint: one place that speaks the five wires, judges continuations and answers from a source."""

from harness.gateway.answer import Answer
from harness.gateway.automatic import AutomaticModel
from harness.gateway.built_in import BuiltInModel
from harness.gateway.conversations import CaseConversation, Conversations, SideScript
from harness.gateway.desk import Desk
from harness.gateway.enforcement import STRICT, Enforcement, Refusing, refusing
from harness.gateway.gateway import Gateway
from harness.gateway.recorder import Recorder
from harness.gateway.request import Request
from harness.gateway.rounds import ByWire, Rounds
from harness.gateway.source import (
    Arriving,
    Broken,
    Given,
    Live,
    Question,
    Recorded,
    ScriptSource,
    Source,
    Unknown,
)

__all__ = [
    "STRICT",
    "Answer",
    "Arriving",
    "AutomaticModel",
    "Broken",
    "BuiltInModel",
    "ByWire",
    "CaseConversation",
    "Conversations",
    "Desk",
    "Enforcement",
    "Gateway",
    "Given",
    "Live",
    "Question",
    "Recorded",
    "Recorder",
    "Refusing",
    "Request",
    "Rounds",
    "ScriptSource",
    "SideScript",
    "Source",
    "Unknown",
    "refusing",
]
