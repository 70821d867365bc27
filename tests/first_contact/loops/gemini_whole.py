"""An agent on Gemini: the google-genai package without streaming; the loop runs the tools itself."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

from google import genai
from google.genai import types

MOST_TURNS = 24


def run(case):
    tools = {tool.name: tool for tool in case.callables}
    system = "\n".join(text for role, text in case.prompt if role == "system")
    contents = [
        types.Content(role="user", parts=[types.Part(text=text)]) for role, text in case.prompt if role == "user"
    ]
    config = types.GenerateContentConfig(
        system_instruction=system or None,
        tools=[types.Tool(function_declarations=[declared(tool) for tool in tools.values()])] if tools else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    with genai.Client(api_key=case.api_key, http_options=types.HttpOptions(base_url=case.base_url)) as client:
        for _ in range(MOST_TURNS):
            answer = client.models.generate_content(model=case.model, contents=contents, config=config)
            content = answered(answer)
            parts = content.parts or []
            calls = [part.function_call for part in parts if part.function_call]
            if not calls:
                return "".join(part.text for part in parts if part.text and not part.thought)
            contents.append(content)
            contents.append(types.Content(role="user", parts=[result_of(call, tools) for call in calls]))
    raise RuntimeError("the model did not come to an end")


def answered(answer):
    if not answer.candidates:
        raise RuntimeError(f"the prompt is blocked: {answer.prompt_feedback}")
    candidate = answer.candidates[0]
    if candidate.finish_reason != types.FinishReason.STOP:
        raise RuntimeError(f"the model stopped with {candidate.finish_reason}")
    return candidate.content or types.Content(role="model", parts=[])


def declared(tool):
    return types.FunctionDeclaration(
        name=tool.name, description=tool.description, parameters_json_schema=dict(tool.parameters)
    )


def result_of(call, tools):
    try:
        if call.name not in tools:
            raise LookupError(f"there is no tool {call.name}")
        response = {"output": tools[call.name].now(call.args or {}, id=call.id)}
    except Exception as error:
        response = {"error": str(error)}
    return types.Part(function_response=types.FunctionResponse(id=call.id, name=call.name, response=response))
