"""An agent on Chat Completions: httpx and a reader of server-sent events; calls of one tool are run together."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

import asyncio
import json

import httpx


class Agent:
    def __init__(self):
        self.most_turns = 25

    async def run(self, case):
        self.tools = {tool.name: tool for tool in case.callables}
        history = [{"role": role, "content": text} for role, text in case.prompt]
        headers = {"authorization": f"Bearer {case.api_key}"}
        async with httpx.AsyncClient(base_url=case.base_url, headers=headers, timeout=30) as http:
            for _ in range(self.most_turns):
                text, calls = await self.turn(http, case.model, history)
                if not calls:
                    return text
                history.append({"role": "assistant", "content": text or None, "tool_calls": calls})
                history += await self.results(calls)
        raise TimeoutError(f"no answer after {self.most_turns} turns")

    async def turn(self, http, model, history):
        body = {"model": model, "messages": history, "stream": True}
        if self.tools:
            body["tools"] = [{"type": "function", "function": declared(tool)} for tool in self.tools.values()]
        text, calls, ended = [], [], None
        async with http.stream("POST", "/v1/chat/completions", json=body) as response:
            if response.is_error:
                await response.aread()
                response.raise_for_status()
            async for data in frames(response):
                if data == b"[DONE]":
                    break
                chunk = json.loads(data)
                if "error" in chunk:
                    raise RuntimeError(chunk["error"]["message"])
                for choice in chunk["choices"]:
                    delta = choice["delta"]
                    if delta.get("refusal"):
                        raise RuntimeError("refused")
                    text.append(delta.get("content") or "")
                    for piece in delta.get("tool_calls") or []:
                        if piece["index"] == len(calls):
                            calls.append({"type": "function", "function": {"name": "", "arguments": ""}})
                        collect(calls[piece["index"]], piece)
                    ended = choice.get("finish_reason") or ended
        if ended not in ("stop", "tool_calls"):
            raise RuntimeError(f"the turn is not whole: {ended}")
        ids = [call.get("id") for call in calls]
        if None in ids or len(set(ids)) < len(ids):
            raise RuntimeError("calls without ids of their own")
        return "".join(text).encode("utf-16", "surrogatepass").decode("utf-16"), calls

    async def results(self, calls):
        """The calls of one tool are run together, so results come in another order than the calls."""
        names = list(dict.fromkeys(call["function"]["name"] for call in calls))
        answered = []
        for name in reversed(names):
            same = [call for call in calls if call["function"]["name"] == name]
            contents = await asyncio.gather(*(self.result(call) for call in same))
            answered += [
                {"role": "tool", "tool_call_id": call["id"], "content": content}
                for call, content in zip(same, contents, strict=True)
            ]
        return answered

    async def result(self, call):
        tool = self.tools.get(call["function"]["name"])
        if tool is None:
            return "unknown tool"
        try:
            arguments = json.loads(call["function"]["arguments"] or "{}")
        except ValueError:
            return "the arguments are not valid JSON; please call again"
        try:
            return json.dumps(await tool(arguments, id=call["id"]), ensure_ascii=False)
        except Exception as error:
            return f"failed: {error}"


async def frames(response):
    """The data of each event. Only line feeds end a line; a text may have other separators in it."""
    rest = b""
    async for piece in response.aiter_bytes():
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"data:"):
                yield line[5:].strip()


def declared(tool):
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}


def collect(call, piece):
    if piece.get("id"):
        call["id"] = piece["id"]
    for key, value in (piece.get("function") or {}).items():
        call["function"][key] += value or ""
