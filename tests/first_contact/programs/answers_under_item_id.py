"""FAULT: Responses: the output names the item's id and not its call_id."""

from openai import OpenAI

client = OpenAI()
TOOL = {
    "type": "function",
    "name": "get_menu",
    "description": "Today's menu.",
    "strict": False,
    "parameters": {"type": "object", "properties": {}},
}
items = [{"role": "user", "content": "What is for lunch?"}]
while True:
    answer = client.responses.create(model="gpt-4.1", input=items, tools=[TOOL])
    items += answer.output
    calls = [item for item in answer.output if item.type == "function_call"]
    items += [{"type": "function_call_output", "call_id": call.id, "output": "soup"} for call in calls]
    if not calls:
        break
print(answer.output_text)
