"""The model endpoint: one place that speaks the five wires, judges continuations and answers from a source."""

from harness.gateway.automatic import AutomaticModel
from harness.gateway.behaviours import BEHAVIOURS, PARALLEL, REASONING, Behaviour, behaviours
from harness.gateway.built_in import BuiltInModel
from harness.gateway.case_endpoint import CaseEndpoint, Pauses
from harness.gateway.conversations import CaseConversation, Conversations, SideScript
from harness.gateway.enforcement import STRICT, Enforcement, Refusing, refusing
from harness.gateway.gateway import Gateway
from harness.gateway.recorder import Recorder
from harness.gateway.request import ReceivedRequest
from harness.gateway.response_plan import Pause, ResponsePlan
from harness.gateway.rounds import ByWire, Rounds
from harness.gateway.source import (
    Arriving,
    LiveResponse,
    ModelRequest,
    RecordedResponse,
    ResponseBroken,
    ScriptSource,
    Source,
    SourceResponse,
    Unknown,
)

__all__ = [
    "BEHAVIOURS",
    "PARALLEL",
    "REASONING",
    "STRICT",
    "Arriving",
    "AutomaticModel",
    "Behaviour",
    "BuiltInModel",
    "ByWire",
    "CaseConversation",
    "CaseEndpoint",
    "Conversations",
    "Enforcement",
    "Gateway",
    "LiveResponse",
    "ModelRequest",
    "Pause",
    "Pauses",
    "ReceivedRequest",
    "RecordedResponse",
    "Recorder",
    "Refusing",
    "ResponseBroken",
    "ResponsePlan",
    "Rounds",
    "ScriptSource",
    "SideScript",
    "Source",
    "SourceResponse",
    "Unknown",
    "behaviours",
    "refusing",
]
