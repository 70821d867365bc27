"""Histories of every item and block that two SDKs declare, each where it belongs: a call before its result, and so on.

``sdk_values`` makes the values of a type; here they get what must be around them, and ids of the right form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any, Union, get_args, get_origin

from typing_extensions import is_typeddict

from tests.outside.sdk_values import values
from tests.sdks import anthropic, openai

ASKED: dict[str, Any] = {"role": "user", "content": "Which tide is it?"}
GO_ON: dict[str, Any] = {"role": "user", "content": "And then?"}


def types_of(declared: Any) -> Iterator[Any]:
    """The objects of a union, one by one."""
    if get_origin(declared) is Union:
        for each in get_args(declared):
            yield from types_of(each)
    elif is_typeddict(declared):
        yield declared


def by_type(declared: Any) -> dict[str, list[Any]]:
    """The values of the objects of a union, by what their ``type`` is (or their ``role``)."""
    found: dict[str, list[Any]] = {}
    for each in types_of(declared):
        for value in values(each):
            found.setdefault(value.get("type", value.get("role")), []).append(value)
    return found


# --- OpenAI Responses -----------------------------------------------------------------------------------------------

PREFIXES = {
    "message": "msg",
    "reasoning": "rs",
    "function_call": "fc",
    "custom_tool_call": "ctc",
}
RESULTS = {
    "function_call": "function_call_output",
    "computer_call": "computer_call_output",
    "local_shell_call": "local_shell_call_output",
    "shell_call": "shell_call_output",
    "apply_patch_call": "apply_patch_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "mcp_approval_request": "mcp_approval_response",
}


def of_responses() -> Iterator[tuple[str, list[Any]]]:
    """Inputs, each with the type of the item that it is about."""
    items = by_type(openai.types.responses.response_input_param.ResponseInputItemParam)
    for kind, result in RESULTS.items():
        for call in items[kind]:
            yield kind, [ASKED, *_paired(call, items[result][0])]
        for output in items[result]:
            yield result, [ASKED, *_paired(items[kind][0], output)]
    for kind in items.keys() - {*RESULTS, *RESULTS.values()}:
        for item in items[kind]:
            said = [{"role": "assistant", "content": "Flood."}] if kind == "reasoning" else []
            yield kind, [ASKED, _with_id(item), *said, GO_ON]


def _with_id(item: Mapping[str, Any]) -> dict[str, Any]:
    prefix = PREFIXES.get(item.get("type", ""), "")
    return {**deepcopy(item), "id": f"{prefix}_{'0' * 24}"} if prefix and item.get("id") else {**deepcopy(item)}


def _paired(call: Mapping[str, Any], output: Mapping[str, Any]) -> list[Any]:
    first, second = _with_id(call), _with_id(output)
    if "call_id" in first:
        second["call_id"] = first["call_id"]
    if second.get("id"):
        second["id"] = f"{second['type']}_{'1' * 24}"
    if second["type"] == "local_shell_call_output":
        second["call_id"], second["id"] = first["call_id"], "lsh_1"
    return [first, second]


# --- Anthropic ------------------------------------------------------------------------------------------------------


def of_messages(*, beta: bool) -> Iterator[tuple[str, list[Any]]]:
    """Messages, each with the type of the block that it is about."""
    types = anthropic.types
    declared = types.beta.beta_content_block_param.BetaContentBlockParam if beta else None
    blocks = by_type(declared or types.content_block_param.ContentBlockParam)
    uses = {value["name"]: value for value in reversed(blocks["server_tool_use"])}
    for kind, all_of_it in blocks.items():
        for block in all_of_it:
            yield from ((kind, history) for history in _placed(kind, deepcopy(block), uses, blocks))


BY_THE_USER = ("image", "document", "search_result", "container_upload", "mid_conv_system")


def _placed(
    kind: str, block: dict[str, Any], uses: Mapping[str, Any], blocks: Mapping[str, list[Any]]
) -> Iterator[list[Any]]:
    if kind in BY_THE_USER:
        yield [{"role": "user", "content": [block]}]
    elif kind == "text":
        said = [{"role": "assistant", "content": [block]}, GO_ON]
        yield [ASKED, *said] if block.get("citations") else [{"role": "user", "content": [block]}, *said]
    elif kind == "tool_result":
        call = {"type": "tool_use", "id": block["tool_use_id"], "name": "tide", "input": {}}
        yield [ASKED, {"role": "assistant", "content": [call]}, {"role": "user", "content": [block]}]
    elif kind == "tool_use":
        result = {"type": "tool_result", "tool_use_id": block["id"]}
        yield [ASKED, {"role": "assistant", "content": [block]}, {"role": "user", "content": [result]}]
    elif kind in ("server_tool_use", "mcp_tool_use"):
        name = "mcp" if kind == "mcp_tool_use" else _tool_of(block["name"])
        yield [ASKED, _by_the_server(block, blocks[f"{name}_tool_result"][0]), GO_ON]
    elif kind == "mcp_tool_result":
        yield [ASKED, _by_the_server(blocks["mcp_tool_use"][0], block), GO_ON]
    elif kind.endswith("_tool_result"):
        use = uses.get(kind.removesuffix("_tool_result")) or uses["tool_search_tool_regex"]
        yield [ASKED, _by_the_server(use, block), GO_ON]
    else:
        yield [ASKED, {"role": "assistant", "content": [block, {"type": "text", "text": "Flood."}]}, GO_ON]


def _tool_of(name: str) -> str:
    """What the result of a tool of the provider's is called after."""
    return "tool_search" if name.startswith("tool_search") else name


def _by_the_server(use: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    id = f"{'mcptoolu' if use['type'] == 'mcp_tool_use' else 'srvtoolu'}_{'0' * 20}"
    content = [{**use, "id": id}, {**result, "tool_use_id": id}, {"type": "text", "text": "Flood."}]
    return {"role": "assistant", "content": content}


# --- OpenAI Chat ----------------------------------------------------------------------------------------------------


def of_chat() -> Iterator[tuple[str, list[Any]]]:
    """Messages, each with the role of the one that it is about."""
    messages = by_type(openai.types.chat.ChatCompletionMessageParam)
    for role, all_of_it in messages.items():
        for message in all_of_it:
            if role == "tool":
                call = {"id": message["tool_call_id"], "type": "function", "function": {"name": "a", "arguments": "{}"}}
                yield role, [ASKED, {"role": "assistant", "tool_calls": [call]}, message]
            elif role == "function":
                call = {"name": message["name"], "arguments": "{}"}
                yield role, [ASKED, {"role": "assistant", "content": None, "function_call": call}, message]
            elif calls := message.get("tool_calls"):
                yield role, [ASKED, message, {"role": "tool", "tool_call_id": calls[0]["id"], "content": "5.1 m"}]
            else:
                yield role, [ASKED, message, GO_ON]
