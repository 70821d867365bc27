"""A tool-calling loop on Google's SDK: Gemini. Needs google-genai. The harness calls ``run`` for each case."""

from collections.abc import Mapping
from typing import Any

from google import genai
from google.genai import types

MOST_TURNS = 20


async def run(case: Any) -> str:
    """The connection to the harness: what the loop needs of a case. What is returned is the answer to the user."""
    system = "\n".join(text for role, text in case.prompt if role == "system")
    contents = [
        types.Content(role="user", parts=[types.Part(text=text)]) for role, text in case.prompt if role == "user"
    ]
    tools = {tool.name: tool for tool in case.callables}
    client = genai.Client(api_key=case.api_key, http_options=types.HttpOptions(base_url=case.base_url))
    async with client.aio as models:
        return await answer(models, case.model, system, contents, tools)


async def answer(client: Any, model: str, system: str, contents: list[types.Content], tools: Mapping[str, Any]) -> str:
    """Ask the model, run the tools that it calls, send the results, until it calls none. Returns its text."""
    offered = types.Tool(function_declarations=[declaration(tool) for tool in tools.values()])
    config = types.GenerateContentConfig(system_instruction=system or None, tools=[offered] if tools else None)
    for _ in range(MOST_TURNS):
        parts: list[types.Part] = []
        why = None
        async for chunk in await client.models.generate_content_stream(model=model, contents=contents, config=config):
            for candidate in chunk.candidates or ():
                parts += (candidate.content and candidate.content.parts) or ()
                why = candidate.finish_reason or why
        if why != types.FinishReason.STOP:  # refused, cut, or a stream without its end: run no call of it
            raise RuntimeError(f"the model stopped with {why}")
        calls = [part.function_call for part in parts if part.function_call]
        if not calls:
            return "".join(part.text for part in parts if part.text and not part.thought)
        contents.append(types.Content(role="model", parts=parts))  # as they came, with their thought signatures
        contents.append(types.Content(role="user", parts=[await result_of(call, tools) for call in calls]))
    raise RuntimeError(f"no answer after {MOST_TURNS} turns")


def content(text: str) -> types.Content:
    """Return a user's message with this text."""
    return types.Content(role="user", parts=[types.Part(text=text)])


def declaration(tool: Any) -> types.FunctionDeclaration:
    """A tool as the model is offered it."""
    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
    )


async def result_of(call: types.FunctionCall, tools: Mapping[str, Any]) -> types.Part:
    """The result of a call; what went wrong is a result, too, so that the model can react."""
    try:
        if call.name is None or call.name not in tools:
            raise LookupError(f"there is no tool {call.name}")
        response = {"output": await tools[call.name](call.args or {}, id=call.id)}
    except Exception as error:
        response = {"error": str(error)}
    return types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response=response))
