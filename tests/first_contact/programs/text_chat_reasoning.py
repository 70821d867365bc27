"""Responses and gpt-5: a chat without tools that keeps the texts alone, as the shortest examples do."""

from openai import OpenAI

client = OpenAI()
history = []
for question in ("What is a monad?", "In one word?", "Thanks!"):
    history.append({"role": "user", "content": question})
    answer = client.responses.create(model="gpt-5", input=history, store=False)
    history.append({"role": "assistant", "content": answer.output_text})
    print(answer.output_text)
