"""Chat: the program ends when the model calls "submit"; that call is the result, and nobody answers it."""

import json

from openai import OpenAI

client = OpenAI()
TOOL = {
    "type": "function",
    "function": {
        "name": "submit",
        "description": "Submit your final answer. This ends the task.",
        "parameters": {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]},
    },
}
messages = [{"role": "system", "content": "Submit when you are done."}, {"role": "user", "content": "What is 6 x 7?"}]
answer = None
while answer is None:
    message = client.chat.completions.create(model="gpt-4.1", messages=messages, tools=[TOOL]).choices[0].message
    messages.append(message)
    if message.tool_calls:
        answer = json.loads(message.tool_calls[0].function.arguments)["answer"]
    else:
        messages.append({"role": "user", "content": "Use submit."})
print(answer)
