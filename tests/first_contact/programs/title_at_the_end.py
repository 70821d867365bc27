"""An agent on Chat; when it is done, the same history without tools gets the question for a title, and it goes on."""

from openai import OpenAI

client = OpenAI()
TOOL = {"type": "function", "function": {"name": "get_recipe", "parameters": {"type": "object", "properties": {}}}}
history = []
for question in ("How do I bake bread?", "And rolls?"):
    history.append({"role": "user", "content": question})
    while True:
        message = client.chat.completions.create(model="gpt-4.1", messages=history, tools=[TOOL]).choices[0].message
        history.append(message.to_dict())
        if not message.tool_calls:
            break
        history += [{"role": "tool", "tool_call_id": call.id, "content": "flour"} for call in message.tool_calls]
    asked = [*history, {"role": "user", "content": "Give this conversation a title of three words."}]
    print("#", client.chat.completions.create(model="gpt-4.1", messages=asked).choices[0].message.content)
print(message.content)
