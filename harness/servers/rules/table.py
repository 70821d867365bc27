"""All rules about responses: the rules of the wires, and rules about gateways, which concern two wires."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial
from typing import Final

from harness.wire import OWN_WIRES, WireName, wire
from harness.wire.response_rule import ProbeStep, ResponseRule

_TRIED: Final = "a trial of 536 cases through LiteLLM's proxy 1.106.2"

_transfer: Final = partial(ResponseRule, shown_by="transfer")
_probed: Final = partial(ResponseRule, shown_by="request")

SIGNATURE: Final = _transfer(
    "SX-SIG",
    "A signature that the upstream has sent arrives, in its own member or in another that goes back.",
    "MUST",
    ("openrouter-examples #67", "litellm #16893", "hebo-gateway #226", _TRIED),
    also=("SC-17",),
    about=("thinking",),
)
IDS: Final = _transfer(
    "SX-ID",
    "Each call arrives with an id, and no two with the same; that it is the upstream's own is information.",
    "MUST",
    ("litellm #25561", _TRIED),
    about=("ids", "results"),
)
CALLS: Final = _transfer(
    "SX-CALLS",
    "All calls of the upstream arrive, in their order and under their names.",
    "MUST",
    ("vllm PR #53965", "sglang #7117", "Portkey: calls of DeepSeek are dropped in whole answers"),
    also=("SC-12",),
    about=("words", "results"),
    impact="unsafe",
)
ARGUMENTS: Final = _transfer(
    "SX-ARGS",
    "The arguments of a call arrive as the upstream has sent them.",
    "MUST",
    ("litellm #25561", _TRIED),
    about=("words",),
    impact="unsafe",
)
CUT: Final = _transfer(
    "SX-CUT",
    "Arguments that were cut never arrive, and never come back, as a whole object such as {}.",
    "MUST",
    (_TRIED,),
    about=("words",),
    impact="unsafe",
)
TEXT: Final = _transfer(
    "SX-TEXT",
    "The text of the upstream arrives whole, and nothing is added to it.",
    "MUST",
    ("litellm #29286", _TRIED),
    about=("words",),
)
THINKING: Final = _transfer(
    "SX-THINK",
    "The thinking of the upstream arrives whole, as thinking.",
    "SHOULD",
    ("vllm #41691", _TRIED),
    also=("SC-14",),
    about=("thinking",),
)
INVENTED: Final = _transfer(
    "SX-MORE",
    "Nothing arrives of which the upstream has sent nothing: no further call, no text or thinking, no search.",
    "MUST",
    ("claude-code-router 2.0.0: a search of the provider beside every whole answer with annotations: []",),
    about=("words", "results"),
    impact="unsafe",
)
PHASE: Final = _transfer(
    "SX-PHASE",
    "What the upstream says of a text arrives: that it is commentary, or the final answer.",
    "SHOULD",
    ("the guide of the provider: drop no phase when you send a history back", "pi", "opencode"),
    about=("words",),
)
ORDER: Final = _transfer(
    "SX-ORDER",
    "Thinking, text and calls arrive, and reach the upstream again, in the order in which it has sent them.",
    "SHOULD",
    (_TRIED,),
    about=("thinking", "words"),
)
STOP: Final = _transfer(
    "SX-STOP",
    "The client gets the reason for which the upstream has stopped.",
    "MUST",
    ("litellm #12481", "litellm #34692", _TRIED),
)
USAGE: Final = _transfer(
    "SX-USAGE",
    "The tokens arrive that the upstream has counted, those of thinking and of the cache among them.",
    "SHOULD",
    ("Kimi tests/prompt_tokens", _TRIED),
    impact="style",
)
END: Final = _transfer(
    "SX-END",
    "An answer that was cut, or failed, does not arrive with a clean end, nor a whole one without it.",
    "MUST",
    (f"{_TRIED}: 11 of 20 pairs",),
    impact="unsafe",
)
STATUS: Final = _transfer(
    "SX-STATUS",
    "An HTTP error of the upstream arrives with its status, or at least with one of the same class.",
    "MUST",
    (f"{_TRIED}: 529 becomes 500",),
)
SAME: Final = _transfer(
    "SX-SAME",
    "A streamed answer and the whole answer to the same request have the same parts, signatures included.",
    "MUST",
    (f"{_TRIED}: the signature is lost in streams", "Portkey: calls of DeepSeek are dropped in whole answers"),
    about=("thinking", "words"),
)
HISTORY: Final = _transfer(
    "SX-HISTORY",
    "The calls of the upstream come back to it as calls: none is missing, and none is text.",
    "MUST",
    ("agent-wire-proxy 0.2.0: calls and results come back as texts that describe them", "LiteLLM's proxy 1.106.2"),
    about=("words", "results"),
)
_OWN_BACK: Final = _probed(
    "SX-BACK",
    "A server takes its own answer back, as it came.",
    "MUST",
    ("omlx PR #1997", "ggml-org/llama.cpp #29159"),
    probe="own answer back",
)
_CONTINUATION: Final = _probed(
    "SX-CONT",
    "The continuation of a loop is taken.",
    "MUST",
    ("ollama #17778",),
    probe="continuation",
)
_WRONG: Final = _probed(
    "SX-WRONG",
    "A request that the provider refuses is refused with status 400 and an error body.",
    "SHOULD",
    ("Kimi tests/params", "llama.cpp answers 200 to 16 of 19 wrong requests"),
    probe="wrong request",
)
_WRONG_CONTINUATION: Final = _probed(
    "SX-PAIR",
    "A continuation whose calls and results are no pairs is refused.",
    "SHOULD",
    ("llm-memory-api PR #179",),
    probe="wrong continuation",
)
_KEY: Final = _probed(
    "SX-KEY",
    "A wrong key is refused with status 401 or 403 and an error body.",
    "SHOULD",
    ("sglang PR #25876 (500 for all)",),
    probe="wrong key",
)

TRANSFER_RULES: Final = (
    SIGNATURE,
    IDS,
    CALLS,
    ARGUMENTS,
    CUT,
    TEXT,
    THINKING,
    INVENTED,
    PHASE,
    ORDER,
    STOP,
    USAGE,
    END,
    STATUS,
    SAME,
    HISTORY,
)
"""What is asked of a gateway, whichever two wires it is between."""

_REQUEST_RULES: Final = (_OWN_BACK, _CONTINUATION, _WRONG, _WRONG_CONTINUATION, _KEY)
"""What a probe asks of servers of a wire that has no rule of its own about it."""


def rules_of(name: WireName) -> tuple[ResponseRule, ...]:
    """The rules that one wire has about responses: its own, and those that it shares."""
    return wire(name).response_rules


@cache
def every_rule() -> Mapping[str, ResponseRule]:
    """All rules by their ids: wire by wire, then those about gateways, then what a probe asks of any server."""
    own = [rule for name in OWN_WIRES for rule in rules_of(name)]
    shared = [rule for rule in own if rule.id.startswith("SX-")]
    alone = [rule for rule in own if not rule.id.startswith("SX-")]
    return {rule.id: rule for rule in (*alone, *shared, *TRANSFER_RULES, *_REQUEST_RULES)}


def probe_rule(name: WireName, step: ProbeStep) -> ResponseRule | None:
    """The rule that a step of a probe is about on a wire; None where nothing is asked of its servers there."""
    return next((rule for rule in (*rules_of(name), *_REQUEST_RULES) if rule.probe == step), None)
