"""Responses, streamed, with tool_choice "required": the arguments are collected and never answered."""

import json

from openai import OpenAI

client = OpenAI()
TOOL = {
    "type": "function",
    "name": "set_filters",
    "description": "Filters for the search page.",
    "strict": False,
    "parameters": {
        "type": "object",
        "properties": {"colour": {"type": "string"}, "max_price": {"type": "number", "minimum": 0}},
        "required": ["colour"],
    },
}
for wish in ("a red bike under 200", "a blue one"):
    filters = None
    stream = client.responses.create(
        model="gpt-4.1", input=wish, tools=[TOOL], tool_choice="required", parallel_tool_calls=False, stream=True
    )
    for event in stream:
        if event.type == "response.function_call_arguments.done":
            filters = json.loads(event.arguments)
    print(wish, filters)
