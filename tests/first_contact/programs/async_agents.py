"""Ten agents at once on one AsyncOpenAI client, streamed; every one has the same prompt and a question of its own."""

import asyncio
import json

from openai import AsyncOpenAI
from plain import chat_tool

client = AsyncOpenAI()
TOOL = chat_tool("get_grade", pupil="string")


async def agent(question):
    messages = [{"role": "system", "content": "You help a teacher."}, {"role": "user", "content": question}]
    while True:
        async with client.chat.completions.stream(model="gpt-4o", messages=messages, tools=[TOOL]) as stream:
            message = (await stream.get_final_completion()).choices[0].message
        messages.append({"role": "assistant", "content": message.content})
        if not message.tool_calls:
            return message.content
        messages[-1]["tool_calls"] = [
            {"id": call.id, "type": "function", "function": call.function.model_dump(include={"name", "arguments"})}
            for call in message.tool_calls
        ]
        for call in message.tool_calls:
            pupil = json.loads(call.function.arguments)["pupil"]
            messages.append({"role": "tool", "tool_call_id": call.id, "content": f"{pupil}: 2"})


async def main():
    answers = await asyncio.gather(*(agent(f"How is pupil {n}?") for n in range(10)))
    print(len(answers), "answers")


asyncio.run(main())
