"""The answers of our parser and our loop to a measured case of the text protocol, in the form of the measurement."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx2

from harness.loop import Agent, ToolRuntime
from harness.loop.policy import HUGIND
from harness.loop.session import CallResult, Delta, EditableSession, ProviderTurn, SessionConfig
from harness.loop.tools.arguments import parse_arguments
from harness.trace import Event
from harness.wire import Call, ToolDeclaration
from harness.wire.text_tags import parse_tool_calls, strip_thinking, strip_tool_calls
from harness.wire.text_tags.repaired_json import RepairedJson
from harness.wire.text_tags.words import written

Json = dict[str, Any]


class NoSuchCase(Exception):
    """Ours has no such function, or no such case of the loop."""


async def our_answer(fn: str, id: str, value: Any) -> Any:
    """Our answer to the case ``id`` of ``fn``. Raises ``NoSuchCase``; ``TurnFailed`` if our answer is that."""
    if fn in _PARSER:
        return _PARSER[fn](value)
    if fn != "loop" or id not in _LOOP:
        known = ", ".join([*_PARSER, "loop"])
        raise NoSuchCase(f"expected one of the functions {known}, or a known case of the loop, got {fn!r}")
    return await _LOOP[id](value)


# --- the parser ---------------------------------------------------------------------------------------------


def _calls_in(text: str) -> list[Json]:
    """The calls as a tool gets them; for a call that cannot be run, the reason."""
    return [
        {"name": call.name, "problem": call.problem} if call.problem else {"name": call.name, "args": _args(call)}
        for call in parse_tool_calls(text)
    ]


def _args(call: Any) -> Any:
    args = json.loads(call.arguments)
    return parse_arguments(call.arguments) if isinstance(args, dict) else args


def _repaired(text: str) -> str:
    return "".join(part.text for part in RepairedJson(depth=0).feed(text))


def _step(text: str) -> Json:
    stripped, calls = strip_thinking(text), _calls_in(text)
    final = None if calls else strip_tool_calls(stripped)
    return {"stripped_content": stripped, "calls": calls, "final_text_if_no_calls": final}


_PARSER: dict[str, Callable[[str], Any]] = {
    "parse_tool_calls": _calls_in,
    "strip_thinking": strip_thinking,
    "strip_tool_calls": strip_tool_calls,
    "fix_unquoted_keys": _repaired,
    "assistant_step": _step,
}


# --- the loop -----------------------------------------------------------------------------------------------


class _Server:
    """A Chat server that sends the texts, one per request, and remembers what it was asked."""

    def __init__(self, *answers: str | httpx2.Response) -> None:
        self._answers = iter(answers)
        self.requests: list[httpx2.Request] = []

    @property
    def bodies(self) -> list[Json]:
        return [json.loads(request.content) for request in self.requests]

    def answer(self, request: httpx2.Request) -> httpx2.Response:
        self.requests.append(request)
        answer = next(self._answers)
        if isinstance(answer, httpx2.Response):
            return answer
        message = {"role": "assistant", "content": answer}
        return httpx2.Response(200, json={"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})

    @asynccontextmanager
    async def sessions(self) -> AsyncIterator[Callable[[SessionConfig], EditableSession]]:
        """Yields the function that opens sessions of the text protocol on this server."""
        from openai import AsyncOpenAI  # of the extra 'reference'; recordings are imported as traces without it

        from harness.loop.sessions.text_tags import TextTagsSession

        transport = httpx2.MockTransport(self.answer)
        async with httpx2.AsyncClient(transport=transport) as http:
            client = AsyncOpenAI(api_key="harness", base_url="http://model.test/v1", http_client=http, max_retries=0)
            yield lambda config: TextTagsSession(config, client)


_SEARCH = ToolDeclaration("search", "Search.", {"type": "object", "properties": {"pattern": {}, "path": {}}})


async def _turn(session: EditableSession, results: Sequence[Any] = ()) -> ProviderTurn:
    """Take a turn. Its calls get ``results``, in order: a value, or an exception for one that failed."""

    async def ignored(delta: Delta) -> None:
        """Nobody listens."""

    turn = await session.stream_turn(ignored)
    call_results = [
        CallResult(call, {"error": str(result)}, ok=False)
        if isinstance(result, Exception)
        else CallResult(call, result, ok=True)
        for call, result in zip(turn.tool_calls, results, strict=bool(results))
    ]
    session.append_tool_results(turn, call_results)
    return turn


async def _asked(
    server: _Server,
    results: Sequence[Any] = (),
    *,
    tools: Sequence[ToolDeclaration] = (_SEARCH,),
    prompt: Sequence[tuple[str, str]] = (("user", "hi"),),
) -> ProviderTurn:
    """Ask the server for one turn, and for another one if there are results."""
    config = SessionConfig("default", prompt, tools, "http://model.test", stream=False)
    async with server.sessions() as open_session:
        session = open_session(config)
        turn = await _turn(session, results)
        return await _turn(session) if results else turn


async def _results(value: Json) -> Any:
    names = [name for name, _ in value["results"]]
    server = _Server(written([Call(name, "{}") for name in names]), "Done.")
    tools = [ToolDeclaration(name, "", {"type": "object"}) for name in names]
    await _asked(server, [text for _, text in value["results"]], tools=tools)
    return server.bodies[-1]["messages"][-1]


async def _result(value: Any, name: str = "search") -> str:
    server = _Server(written([Call(name, "{}")]), "Done.")
    await _asked(server, [value])
    return str(server.bodies[-1]["messages"][-1]["content"]).removeprefix(f"Tool results:\n\n[{name}] ")


async def _first_request(value: Json) -> Json:
    tools = [
        ToolDeclaration(name, description, {"type": "object", "properties": {key: {} for key in parameters}})
        for name, description, parameters in value["tools"]
    ]
    server = _Server("Hi.")
    await _asked(server, tools=tools, prompt=(("system", value["system"]), ("user", value["user"])))
    request = server.requests[0]
    return {
        "method": request.method,
        "path": request.url.path.replace("/v1", "{base_url}"),
        "body": server.bodies[0],
    }


async def _demand(value: Json) -> Json:
    limit = value["max_turns"]
    server = _Server(*[written([Call("search", "{}")])] * (limit + 1))

    async def ignored(event: Event) -> None:
        """Nobody listens."""

    async with server.sessions() as open_session:
        agent = Agent(
            open_session=open_session,
            send_message=ignored,
            tools=ToolRuntime(),
            base_url="http://model.test",
            stream=False,
            policy=HUGIND.with_limit(limit),
        )
        await agent.run("default", [("user", "hi")])
    results, demand = server.bodies[-1]["messages"][-2:]
    results["content"] = results["content"].replace("[search] Error: tool 'search' not found", "...")
    return {"requests": len(server.requests), "last_request_ends_with": [results, demand]}


async def _demand_fails(_arguments: Json) -> Json:
    turn = await _asked(_Server(httpx2.Response(500, text="boom")), prompt=(("user", HUGIND.answer_now),))
    return {"ok": True, "final_text": turn.assistant_text}


async def _status(value: Json) -> Any:
    return (await _asked(_Server(httpx2.Response(value["status"], text=value["body"])))).assistant_text


async def _body(value: Json) -> Any:
    return (await _asked(_Server(httpx2.Response(200, json=value["body"])))).assistant_text


async def _not_here(_arguments: Json) -> None:
    """A promise that never settles, and a command line: the reference loop has neither."""


_LOOP: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "result-message-two-tools": _results,
    "result-undefined": lambda _: _result(None),
    "result-empty-string": lambda value: _result(value["tool_returns"]),
    "result-number-zero": lambda value: _result(value["tool_returns"]),
    "result-object": lambda value: _result(value["tool_returns"]),
    "result-throws-Error": lambda _: _result(ValueError("boom")),
    "unknown-tool": lambda value: _result(ValueError("Unknown tool: nope"), value["call"]["name"]),
    "never-resolving-promise": _not_here,
    "first-request": _first_request,
    "max-turns-nudge": _demand,
    "nudge-http-error": _demand_fails,
    "http-error-in-loop": _status,
    "no-choices": _body,
    "user-prompt-args": _not_here,
}
"""The cases on which the program's loop was measured; each is put to ours in its own way."""
