"""Two agents with one system prompt, one set of tools and one client take turns."""

import json

from openai import OpenAI
from plain import chat_tool

client = OpenAI()
TOOLS = [chat_tool(name, ticker="string") for name in ("get_price", "get_news")]


class Agent:
    def __init__(self, task):
        self.messages = [{"role": "system", "content": "You are an analyst."}, {"role": "user", "content": task}]
        self.answer = None

    def step(self):
        answer = client.chat.completions.create(model="gpt-4o", messages=self.messages, tools=TOOLS)
        message = answer.choices[0].message.model_dump(exclude_none=True)
        self.messages.append(message)
        for call in message.get("tool_calls", []):
            ticker = json.loads(call["function"]["arguments"])["ticker"]
            result = {"of": call["function"]["name"], "ticker": ticker}
            self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(result)})
        if "tool_calls" not in message:
            self.answer = message["content"]


agents = [Agent("Compare ABC with its rivals."), Agent("Is XYZ too dear?")]
while waiting := [agent for agent in agents if agent.answer is None]:
    for agent in waiting:
        agent.step()
print([agent.answer for agent in agents])
