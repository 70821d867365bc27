"""The Conversations API: the provider keeps the history, and every request names the conversation."""

import json

from openai import OpenAI
from plain import responses_tool

client = OpenAI()
TOOLS = [{**responses_tool("get_score", "The score of a team.", team="string"), "strict": False}]
for user in ("ann", "bob"):
    conversation = client.conversations.create(metadata={"user": user})
    for question in ("How did Reds and Blues play?", "And the week before?"):
        new = [{"role": "user", "content": question}]
        while new:
            answer = client.responses.create(model="gpt-4.1", conversation=conversation.id, input=new, tools=TOOLS)
            new = [
                {"type": "function_call_output", "call_id": item.call_id, "output": json.dumps({"score": "2:1"})}
                for item in answer.output
                if item.type == "function_call"
            ]
        print(user, answer.output_text)
