"""An agent on Gemini: httpx and a reader of server-sent events."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

import json

import httpx


def run(case):
    tools = {tool.name: tool for tool in case.callables}
    body = {
        "contents": [{"role": "user", "parts": [{"text": text}]} for role, text in case.prompt if role == "user"],
        "generationConfig": {"thinkingConfig": {"includeThoughts": True}},
    }
    if system := [{"text": text} for role, text in case.prompt if role == "system"]:
        body["systemInstruction"] = {"parts": system}
    if tools:
        body["tools"] = [{"functionDeclarations": [declared(tool) for tool in tools.values()]}]
    headers = {"x-goog-api-key": case.api_key}
    with httpx.Client(base_url=case.base_url, headers=headers, timeout=30) as http:
        for _ in range(case.turn_limit or 20):
            parts = ask(http, case.model, body)
            calls = [part["functionCall"] for part in parts if "functionCall" in part]
            if not calls:
                texts = [part.get("text", "") for part in parts if not part.get("thought")]
                return "".join(texts).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            body["contents"].append({"role": "model", "parts": parts})
            body["contents"].append({"role": "user", "parts": [answer(call, tools) for call in calls]})
    raise RuntimeError("the limit of turns is reached")


def ask(http, model, body):
    parts, finish = [], None
    url = f"/v1beta/models/{model}:streamGenerateContent?alt=sse"
    with http.stream("POST", url, json=body) as response:
        if response.is_error:
            response.read()
            response.raise_for_status()
        for data in frames(response):
            chunk = json.loads(data)
            if "error" in chunk or "blockReason" in chunk.get("promptFeedback", {}):
                raise RuntimeError(data)
            for candidate in chunk.get("candidates", []):
                for part in candidate.get("content", {}).get("parts", []):
                    add(parts, part)
                finish = candidate.get("finishReason") or finish
    if finish != "STOP":
        raise RuntimeError(f"the turn is not whole: {finish}")
    return parts


def frames(response):
    """The data of each event. Only line feeds end a line; a text may have other separators in it."""
    rest = b""
    for piece in response.iter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        yield from (line[5:] for line in lines if line.startswith(b"data:"))


def add(parts, part):
    """Pieces of one text are joined; what carries a signature stays a part of its own."""
    last = parts[-1] if parts else {}
    if set(part) <= {"text", "thought"} and set(last) == set(part) and "text" in part:
        last["text"] += part["text"]
    elif part != {"text": ""}:
        parts.append(part)


def declared(tool):
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": dict(tool.parameters)}


def answer(call, tools):
    response = {"name": call["name"]}
    if "id" in call:
        response["id"] = call["id"]
    try:
        if call["name"] not in tools:
            raise LookupError("there is no such tool")
        response["response"] = {"output": tools[call["name"]].now(call.get("args", {}), id=call.get("id"))}
    except Exception as error:
        response["response"] = {"error": str(error)}
    return {"functionResponse": response}
