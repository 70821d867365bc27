"""FAULT: with store=False on o3 the calls go back without the encrypted reasoning in front of them."""

from openai import OpenAI

client = OpenAI()
TOOL = {
    "type": "function",
    "name": "get_status",
    "strict": False,
    "description": "The state of a server.",
    "parameters": {"type": "object", "properties": {"host": {"type": "string"}}, "required": ["host"]},
}
items = [{"role": "user", "content": "Are web1 and web2 up?"}]
while True:
    answer = client.responses.create(
        model="o3", input=items, tools=[TOOL], store=False, include=["reasoning.encrypted_content"]
    )
    for item in answer.output:
        if item.type == "message":
            items.append({"role": "assistant", "content": item.content[0].text})
        elif item.type == "function_call":
            call = {"type": "function_call", "call_id": item.call_id, "name": item.name, "arguments": item.arguments}
            items.append(call)
    calls = [item for item in answer.output if item.type == "function_call"]
    items += [{"type": "function_call_output", "call_id": call.call_id, "output": "up"} for call in calls]
    if not calls:
        break
print(answer.output_text)
