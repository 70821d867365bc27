"""A router answers with the name of a specialist; the specialist has a system prompt and tools of its own."""

import json

from openai import OpenAI
from plain import chat_tool

client = OpenAI()
SPECIALISTS = {
    "refunds": ("You refund orders.", [chat_tool("get_order", id="integer"), chat_tool("refund_order", id="integer")]),
    "parcels": ("You find parcels.", [chat_tool("track_parcel", id="integer")]),
}
CHOICE = {
    "type": "json_schema",
    "json_schema": {
        "name": "choice",
        "schema": {"type": "object", "properties": {"to": {"enum": list(SPECIALISTS)}}, "required": ["to"]},
    },
}
for question in ("I want my money back for order 7.", "Where is parcel 9?"):
    chosen = client.chat.completions.create(
        model="gpt-4o-mini",
        messages=[{"role": "system", "content": "Choose who answers."}, {"role": "user", "content": question}],
        response_format=CHOICE,
    )
    system, tools = SPECIALISTS[json.loads(chosen.choices[0].message.content)["to"]]
    messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
    while True:
        message = client.chat.completions.create(model="gpt-4o", messages=messages, tools=tools).choices[0].message
        messages.append(message.to_dict())
        if not message.tool_calls:
            break
        for call in message.tool_calls:
            messages.append({"role": "tool", "tool_call_id": call.id, "content": f"{call.function.name}: done"})
    print(message.content)
