"""FAULT: Responses: a chat that shows and keeps the text of every turn, whatever else was in it; calls are lost."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "name": "get_bus", "description": "The next bus.", "strict": False, "parameters": None}
TOOL["parameters"] = {"type": "object", "properties": {}}
history = []
for question in ("When is the next bus?", "And the one after it?"):
    history.append({"role": "user", "content": question})
    text = client.responses.create(model="gpt-4.1", input=history, tools=[TOOL]).output_text
    print(text)
    history.append({"role": "assistant", "content": text})
