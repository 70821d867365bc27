"""Anthropic: the main agent has a tool that starts a sub-agent, which has the same model and a tool of its own."""

import anthropic
from plain import anthropic_tool

client = anthropic.Anthropic()


def run(system, task, tools, act):
    messages = [{"role": "user", "content": task}]
    while True:
        with client.messages.stream(
            model="claude-sonnet-4-5", max_tokens=1500, system=system, tools=tools, messages=messages
        ) as stream:
            answer = stream.get_final_message()
        messages.append({"role": "assistant", "content": answer.content})
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            return answer.content[-1].text
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": act(call.input)} for call in calls]
        messages.append({"role": "user", "content": results})


def research(arguments):
    search = anthropic_tool("search", "search it", query="string")
    return run("You research.", arguments["topic"], [search], lambda each: f"nothing on {each['query']}")


print(
    run(
        "You lead a team.",
        "Write about moss and fern.",
        [anthropic_tool("ask_researcher", "ask_researcher it", topic="string")],
        research,
    )
)
