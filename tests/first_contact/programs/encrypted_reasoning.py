"""Nothing is stored: reasoning comes encrypted and goes back with the rest of the output."""

from openai import OpenAI
from plain import responses_tool

client = OpenAI()
tools = [{**responses_tool("list_rooms", "Free rooms on a day.", day="string"), "strict": False}]
history = [{"role": "developer", "content": "You book rooms."}, {"role": "user", "content": "A room for Monday?"}]
for follow_up in ("Something bigger?", "Thank you.", None):
    while True:
        answer = client.responses.create(
            model="o4-mini", input=history, tools=tools, store=False, include=["reasoning.encrypted_content"]
        )
        history += [item.model_dump(exclude_none=True) for item in answer.output]
        calls = [item for item in answer.output if item.type == "function_call"]
        history += [{"type": "function_call_output", "call_id": c.call_id, "output": "R1, R2"} for c in calls]
        if not calls:
            break
    print(answer.output_text)
    if follow_up:
        history.append({"role": "user", "content": follow_up})
