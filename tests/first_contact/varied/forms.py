"""The same entry of a history in another form that the provider reads alike: a text as a list of parts, what is empty
left out or said, the other spelling of a key.
"""

import re


def other_form(api, entry, reasons):
    """``entry`` as another client writes it. ``reasons``: the model reasons, so its items keep their ids."""
    return globals()[f"_{api}"](entry, reasons)


def _chat(entry, _):
    if entry["role"] == "assistant":
        said = {key: value for key, value in entry.items() if value is not None or key != "content"}
        return said if said.get("tool_calls") else {**said, "refusal": None}
    return {**entry, "content": [{"type": "text", "text": entry["content"]}]}


def _responses(entry, reasons):
    if entry.get("type") == "function_call_output":
        return {**entry, "output": [{"type": "input_text", "text": entry["output"]}]}
    if entry.get("role") == "user":
        return {"type": "message", **entry, "content": [{"type": "input_text", "text": entry["content"]}]}
    if reasons or entry.get("type") not in ("function_call", "message"):
        return entry
    if entry["type"] == "message":
        return {"role": "assistant", "content": "".join(part["text"] for part in entry["content"])}
    return {key: entry[key] for key in ("type", "call_id", "name", "arguments")}


def _anthropic(entry, _):
    content = entry["content"]
    if isinstance(content, str):
        return {**entry, "content": [{"type": "text", "text": content}]}
    if [each["type"] for each in content] == ["text"]:
        return {**entry, "content": content[0]["text"]}
    return {**entry, "content": [_result(each) if each["type"] == "tool_result" else each for each in content]}


def _result(block):
    if not isinstance(block["content"], str):
        return block
    return {**block, "content": [{"type": "text", "text": block["content"]}], "is_error": False}


def _gemini(entry, _):
    def snake(value):
        if isinstance(value, list):
            return [snake(each) for each in value]
        if not isinstance(value, dict):
            return value
        return {re.sub("([A-Z])", lambda found: f"_{found[1].lower()}", key): each for key, each in value.items()}

    return {**entry, "parts": snake(entry["parts"])}


def _bedrock(entry, _):
    def filled(block):
        return {"toolResult": {**block["toolResult"], "status": "success"}} if "toolResult" in block else block

    return {**entry, "content": [filled(block) for block in entry["content"]]}


def _interactions(entry, _):
    if entry["type"] != "function_result":
        return entry
    return {**entry, "result": entry["result"]["value"]} if isinstance(entry["result"], dict) else entry
