"""An agent on Responses that lets OpenAI keep the history: each request names the response before it. No streaming."""

# ruff: noqa: BLE001 - whatever a tool raises is for the model to read

import json

from openai import OpenAI, omit

MOST_TURNS = 40


def run(case):
    tools = {tool.name: tool for tool in case.callables}
    instructions = "\n".join(text for role, text in case.prompt if role == "system") or omit
    declared = [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
            "strict": False,
        }
        for tool in tools.values()
    ] or omit
    new = [{"role": role, "content": text} for role, text in case.prompt if role != "system"]
    previous, seen = omit, set()
    with OpenAI(base_url=f"{case.base_url}/v1", api_key=case.api_key, max_retries=0) as client:
        for _ in range(MOST_TURNS):
            response = client.responses.create(
                model=case.model, instructions=instructions, tools=declared, input=new, previous_response_id=previous
            )
            if response.status != "completed":
                raise RuntimeError(f"the response is {response.status}")
            if any(part.type == "refusal" for item in response.output for part in getattr(item, "content", None) or []):
                raise RuntimeError("the model refuses")
            calls = [item for item in response.output if item.type == "function_call"]
            if not calls:
                return response.output_text
            for call in calls:
                if not call.call_id or call.call_id in seen:
                    raise RuntimeError("a call has no id of its own")
                seen.add(call.call_id)
            previous = response.id
            new = [
                {"type": "function_call_output", "call_id": call.call_id, "output": output_of(call, tools)}
                for call in calls
            ]
    raise RuntimeError("the model does not come to an end")


def output_of(call, tools):
    try:
        tool = tools[call.name]
    except KeyError:
        return f"Error: unknown tool {call.name}"
    try:
        result = tool.now(json.loads(call.arguments or "{}"), id=call.call_id)
    except ValueError as error:
        return f"Error: bad arguments, {error}"
    except Exception as error:
        return f"Error: {error}"
    return result if isinstance(result, str) else json.dumps(result)
