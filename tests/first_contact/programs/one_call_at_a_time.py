"""Anthropic without parallel calls, asynchronous: three chats at once, and one tool each."""

import asyncio

import anthropic

client = anthropic.AsyncAnthropic()
TOOL = {"name": "get_joke", "description": "A joke.", "input_schema": {"type": "object", "properties": {}}}


async def chat(name):
    messages = [{"role": "user", "content": f"A joke for {name}, please."}]
    while True:
        answer = await client.messages.create(
            model="claude-sonnet-4-5",
            max_tokens=200,
            tools=[TOOL],
            tool_choice={"type": "auto", "disable_parallel_tool_use": True},
            messages=messages,
        )
        if answer.stop_reason != "tool_use":
            return answer.content[0].text
        (use,) = [block for block in answer.content if block.type == "tool_use"]
        result = {"type": "tool_result", "tool_use_id": use.id, "content": "Knock, knock."}
        messages += [{"role": "assistant", "content": answer.content}, {"role": "user", "content": [result]}]


async def main():
    print(await asyncio.gather(*map(chat, ("Ann", "Bob", "Ann"))))


asyncio.run(main())
