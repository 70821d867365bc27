"""Gemini Interactions with the provider's memory: previous_interaction_id, and tools declared each time."""

from google import genai
from plain import responses_tool

client = genai.Client()
TOOLS = [responses_tool("get_tide", "High tide at a harbour.", harbour="string")]
previous = None
for question in ("When is high tide in Brest and in Hull?", "And tomorrow?"):
    given = question
    while given:
        options = {"previous_interaction_id": previous} if previous else {}
        answer = client.interactions.create(model="gemini-3-flash-preview", input=given, tools=TOOLS, **options)
        previous = answer.id
        given = [
            {"type": "function_result", "name": step.name, "call_id": step.id, "result": {"at": "06:12"}}
            for step in answer.steps
            if step.type == "function_call"
        ]
    print(answer.output_text)
