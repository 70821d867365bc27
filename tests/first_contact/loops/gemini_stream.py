"""An agent on Gemini: the google-genai package, streaming. Calls and results are paired by position, not by id."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

from google import genai
from google.genai import types


async def run(case):
    tools = {tool.name: tool for tool in case.callables}
    system = "\n".join(text for role, text in case.prompt if role == "system")
    contents = [{"role": "user", "parts": [{"text": text}]} for role, text in case.prompt if role == "user"]
    config = {
        "system_instruction": system or None,
        "tools": [{"function_declarations": [declared(tool) for tool in tools.values()]}] if tools else None,
        "automatic_function_calling": {"disable": True},
    }
    client = genai.Client(api_key=case.api_key, http_options={"base_url": case.base_url})
    try:
        for _ in range(case.turn_limit or 20):
            parts = await ask(client, case.model, contents, config)
            calls = [part.function_call for part in parts if part.function_call]
            if not calls:
                text = "".join(part.text for part in parts if part.text and not part.thought)
                return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            contents.append(types.Content(role="model", parts=[nameless(part) for part in parts]))
            results = [await result_of(call, tools) for call in calls]
            contents.append(types.Content(role="user", parts=results))
    finally:
        await client.aio.aclose()
    raise RuntimeError("the limit of turns is reached")


async def ask(client, model, contents, config):
    parts, finish = [], None
    async for chunk in await client.aio.models.generate_content_stream(model=model, contents=contents, config=config):
        if chunk.prompt_feedback and chunk.prompt_feedback.block_reason:
            raise RuntimeError(f"blocked: {chunk.prompt_feedback.block_reason}")
        for candidate in chunk.candidates or []:
            if candidate.content:
                parts += candidate.content.parts or []
            finish = candidate.finish_reason or finish
    if finish is None:
        raise ConnectionError("the stream broke off")
    if finish != types.FinishReason.STOP:
        raise RuntimeError(f"the model stopped with {finish}")
    return parts


def nameless(part):
    """The part without the call's id, which some servers of this API do not know."""
    if part.function_call is None:
        return part
    return part.model_copy(update={"function_call": part.function_call.model_copy(update={"id": None})})


def declared(tool):
    return {"name": tool.name, "description": tool.description, "parameters_json_schema": dict(tool.parameters)}


async def result_of(call, tools):
    if call.name not in tools:
        return types.Part.from_function_response(name=call.name, response={"error": "unknown tool"})
    try:
        response = {"result": await tools[call.name](call.args or {}, id=call.id)}
    except Exception as error:
        response = {"error": str(error)}
    return types.Part.from_function_response(name=call.name, response=response)
