"""Chat: the program ends when the model calls "submit"; that call is the result, and nobody answers it."""

import json

from openai import OpenAI
from plain import chat_tool

client = OpenAI()
TOOL = chat_tool("submit", "Submit your final answer. This ends the task.", answer="string")
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
