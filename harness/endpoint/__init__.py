"""The model endpoint: one place that speaks the five wires, judges continuations and answers from a source."""

from harness.endpoint.automatic import AutomaticModel
from harness.endpoint.behaviours import BEHAVIOURS, PARALLEL, REASONING, Behaviour, behaviours
from harness.endpoint.built_in import BuiltInModel
from harness.endpoint.case_endpoint import CaseEndpoint, Pauses
from harness.endpoint.conversations import CaseConversation, Conversations, SideScript
from harness.endpoint.endpoint import Endpoints
from harness.endpoint.enforcement import STRICT, Enforcement, Refusing, refusing
from harness.endpoint.recorder import Recorder
from harness.endpoint.request import ReceivedRequest
from harness.endpoint.response_plan import Pause, ResponsePlan
from harness.endpoint.rounds import ByWire, Rounds
from harness.endpoint.source import (
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
    "Endpoints",
    "Enforcement",
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
