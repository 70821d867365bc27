"""Small loops over the Responses API without a mistake, in every form that a history can have."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any, Final

from harness.wire import Call, FinishReason, IssuedState, Text, ThinkingPart, ToolDeclaration, Turn
from harness.wire.base import Json
from harness.wire.openai_responses.rules.places import function_call, result_of
from harness.wire.played import BaseRequest
from harness.wire.posted import Posted

_WIRE: Final = "openai-responses"
_MODEL: Final = "gpt-5.5"
_LIST: Final = Call("list_files", '{"path": "src"}')
_READ: Final = Call("read_file", '{"path": "src/app.py"}')
_LOOK: Final = Turn((ThinkingPart("**Looking**\n\nThe file first."), _READ), FinishReason.TOOL_CALLS)
_BOTH: Final = Turn((ThinkingPart("Both."), Text("I look."), _LIST, _READ), FinishReason.TOOL_CALLS)
_UNNAMED: Final = Turn(
    (
        *(ThinkingPart("First."), _READ),
        *(ThinkingPart("Next."), replace(_LIST, members={"id": None})),
        *(ThinkingPart("Then."), _LIST),
    ),
    FinishReason.TOOL_CALLS,
)
"""Some servers send items without ids."""
_TEXT_TURN: Final = Turn((ThinkingPart("Now I know."), Text("It prints hi.")))
_STORED: Final[Json] = {"store": True}

_STRICT: Final = ToolDeclaration(
    "read_file",
    "Reads a file.",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "lines": {"type": "array", "items": {"type": "integer"}}},
        "required": ["path", "lines"],
        "additionalProperties": False,
    },
)

_PATCH: Final[Json] = {"type": "custom", "name": "patch", "description": "Applies a patch."}

_PICTURE: Final = "data:image/png;base64,iVBORw0KGgo="
_PDF: Final = "data:application/pdf;base64,JVBERi0xLjQK"


def _unthinking(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001 - the same in every request
    """A request to a model that does not reason."""
    posted.body.pop("reasoning", None)
    posted.body.pop("include", None)


def _new_items(posted: Posted, issued: IssuedState) -> list[Any]:
    """The input items after what the endpoint has sent."""
    known = {item["id"] for reply in issued.replies for item in reply.items}
    history: list[Any] = posted.body["input"]
    return history[1 + max((place for place, item in enumerate(history) if item.get("id") in known), default=-1) :]


def _naming_what_answered(posted: Posted, issued: IssuedState) -> None:
    """Each output has the name of its function, too."""
    _unthinking(posted, issued)
    for item in posted.body["input"]:
        if item.get("type") == "function_call_output":
            item["name"] = "read_file"


def _name_last_response(posted: Posted, issued: IssuedState) -> None:
    """The request names the last response instead of sending the history."""
    if issued.replies:
        posted.body["input"] = _new_items(posted, issued)
        posted.body["previous_response_id"] = issued.replies[-1].id


def _in_a_thread(posted: Posted, issued: IssuedState) -> None:
    """The provider keeps the conversation."""
    posted.body["input"] = _new_items(posted, issued)
    posted.body["conversation"] = "conv_1"


def _referring(posted: Posted, issued: IssuedState) -> None:
    """Stored items are named instead of sent."""
    known = {item["id"] for reply in issued.replies for item in reply.items}
    posted.body["input"] = [
        {"type": "item_reference", "id": item["id"]} if item.get("id") in known else item
        for item in posted.body["input"]
    ]


def _with_pictures(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001
    """The results contain an image and a file."""
    for item in posted.body["input"]:
        if item.get("type") == "function_call_output":
            item["output"] = [
                {"type": "input_text", "text": "Here."},
                {"type": "input_image", "detail": "auto", "image_url": _PICTURE},
                {"type": "input_file", "filename": "a.pdf", "file_data": _PDF},
            ]


def _strict(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001
    for tool in posted.body["tools"]:
        tool["strict"] = True


def _with_its_text(posted: Posted, issued: IssuedState) -> None:
    """Reasoning as DeepSeek sends it in front of the calls: with its text, and nothing encrypted."""
    _unthinking(posted, issued)
    history: list[Any] = posted.body["input"]
    first = next((place for place, item in enumerate(history) if item.get("type") == "function_call"), None)
    if first is not None:
        content = [{"type": "reasoning_text", "text": "Both of them."}]
        history.insert(first, {"type": "reasoning", "summary": [], "content": content})


def _appending(*more: Json, tools: tuple[Json, ...] = ()) -> Callable[[Posted, IssuedState], None]:
    """Items that the endpoint has not issued follow the others."""

    def amend(posted: Posted, issued: IssuedState) -> None:  # noqa: ARG001
        posted.body["input"] += deepcopy(list(more))
        posted.body["tools"] += deepcopy(list(tools))

    return amend


_SHOT: Final = {"type": "computer_screenshot", "image_url": _PICTURE}
_FOUND: Final[Json] = {"type": "function", "name": "rate", "parameters": {"type": "object", "properties": {}}}
_BUILT_IN: Final[tuple[Json, ...]] = (
    {"type": "shell_call", "id": "sh_1", "call_id": "call_s", "action": {"commands": ["ls"]}, "status": "completed"},
    {"type": "shell_call_output", "call_id": "call_s", "output": [{"stdout": "a", "stderr": "", "outcome": {}}]},
    {"type": "local_shell_call", "id": "lsh_1", "call_id": "call_l", "action": {"command": ["ls"]}},
    {"type": "local_shell_call_output", "call_id": "call_l", "output": "a"},
    {"type": "apply_patch_call", "id": "apc_1", "call_id": "call_p", "operation": {"type": "delete_file", "path": "a"}},
    {"type": "apply_patch_call_output", "call_id": "call_p", "status": "completed"},
    {"type": "computer_call", "id": "cu_1", "call_id": "call_c", "action": {"type": "screenshot"}},
    {"type": "computer_call_output", "call_id": "call_c", "output": _SHOT},
    {"type": "tool_search_call", "call_id": "call_t", "execution": "client", "arguments": {"goal": "rates"}},
    {"type": "tool_search_output", "call_id": "call_t", "execution": "client", "tools": [_FOUND]},
    {"type": "mcp_approval_request", "id": "mcpr_1", "name": "ask", "server_label": "wiki", "arguments": "{}"},
    {"type": "mcp_approval_response", "approval_request_id": "mcpr_1", "approve": True},
)
"""A call of every kind that the provider knows and a client answers, each with its answer."""


_OLD_CALL: Final[tuple[Json, ...]] = (
    function_call("call_o", id="fc_o"),
    result_of("call_o"),
)


def _with_approval(amend: Callable[[Posted, IssuedState], None]) -> Callable[[Posted, IssuedState], None]:
    """The first request has a call of another endpoint, too, and an approval, which the others do not send."""

    def amended(posted: Posted, issued: IssuedState) -> None:
        if not issued.replies:
            posted.body["input"] += deepcopy([*_OLD_CALL, *_BUILT_IN[-2:]])
        amend(posted, issued)

    return amended


_WIDGET: Final[Json] = {
    "type": "function",
    "name": "create_widget",
    "parameters": {"type": "object", "properties": {}},
    "output_schema": {"type": "object"},
}
_SHOP: Final[Json] = {"type": "namespace", "name": "shop", "description": "The shop.", "tools": [_WIDGET]}
_BOUGHT: Final[tuple[Json, ...]] = (
    {"type": "function_call", "call_id": "call_w", "name": "create_widget", "namespace": "shop", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "call_w", "output": '{"id": 7}'},
)

AMENDMENTS: Final[dict[str, Callable[[Posted, IssuedState], None]]] = {
    "previous response": _name_last_response,
    "conversation": _in_a_thread,
    "references": _referring,
}
"""The forms of a history beside sending it, for requests that ask to be stored."""


def _of(
    name: str,
    *turns: Turn,
    model: str = _MODEL,
    settings: Json | None = None,
    amend: Callable[[Posted, IssuedState], None] | None = None,
    **members: Any,
) -> BaseRequest:
    return BaseRequest(f"responses-{name}", _WIRE, model, turns, settings or {}, amend=amend, **members)


ONE_CALL: Final = _of("one-call", _LOOK)
PARALLEL: Final = _of("parallel-calls", _BOTH)
SEVERAL: Final = _of("several-turns", _BOTH, _LOOK, _TEXT_TURN, _LOOK, follow_ups=("Be brief.",))
ANSWERED: Final = _of("answered", _TEXT_TURN)
PLAIN: Final = _of(
    "without-reasoning",
    Turn((Text("I look."), _LIST, _READ), FinishReason.TOOL_CALLS),
    Turn((replace(_READ, name="files.read_file", members={"namespace": "files"}),), FinishReason.TOOL_CALLS),
    model="gpt-4.1",
    amend=_naming_what_answered,
    remembered=True,
)
STORED: Final = _of("stored", _BOTH, _LOOK, settings=_STORED)
NAMED: Final = _of("named-history", _LOOK, _BOTH, settings=_STORED, amend=_with_approval(_name_last_response))
SOCKET: Final = _of(
    "websocket", _LOOK, _BOTH, settings={"store": False}, amend=_name_last_response, connection=1, remembered=True
)
THREAD: Final = _of("conversation", _LOOK, _BOTH, settings=_STORED, amend=_with_approval(_in_a_thread))
REFERENCES: Final = _of("references", _BOTH, settings=_STORED, amend=_referring)
CUSTOM: Final = _of(
    "free-text-tool",
    Turn((ThinkingPart("A patch."), Call("patch", "*** Begin Patch\n"), _READ), FinishReason.TOOL_CALLS),
    settings={"tools": [_PATCH]},
)
PICTURES: Final = _of("pictures", _UNNAMED, amend=_with_pictures)
STRICT: Final = _of("strict-tool", _TEXT_TURN, tools=(_STRICT,), amend=_strict)
CHOSEN: Final = _of("chosen-tool", _LOOK, settings={"tool_choice": {"type": "function", "name": "read_file"}})
FOREIGN: Final = _of("foreign-history", _BOTH, _TEXT_TURN, foreign=True)
DEEPSEEK: Final = _of(
    "deepseek",
    Turn((_LIST, _READ), FinishReason.TOOL_CALLS),
    model="deepseek-v4-flash",
    amend=_with_its_text,
    foreign=True,
    fixed=True,
)
BUILT_IN: Final = _of("built-in-tools", _LOOK, amend=_appending(*_BUILT_IN), foreign=True)
DECLARED: Final = _of("namespaces", _LOOK, amend=_appending(*_BOUGHT, tools=(_SHOP,)), foreign=True)

BASE_REQUESTS: Final = (
    *(ONE_CALL, PARALLEL, SEVERAL, ANSWERED, PLAIN, STORED, NAMED, SOCKET, THREAD, REFERENCES, CUSTOM, PICTURES),
    *(STRICT, CHOSEN, FOREIGN, DEEPSEEK, BUILT_IN, DECLARED),
)

HARMLESS: Final = ()
