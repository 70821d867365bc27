"""An agent on Chat that hedges: two equal requests at once; the calls of the slower answer are thrown away."""

import json
from concurrent.futures import ThreadPoolExecutor, as_completed

from plain import OPENAI, chat_tool, post

TOOL = chat_tool("get_stock", sku="string")
messages = [{"role": "system", "content": "You sell lamps."}, {"role": "user", "content": "Are L1 and L2 in stock?"}]
with ThreadPoolExecutor(2) as pool:
    while True:
        body = {"model": "gpt-4.1", "messages": messages, "tools": [TOOL], "temperature": 0}
        both = [pool.submit(post, f"{OPENAI}/chat/completions", body) for _ in range(2)]
        message = next(as_completed(both)).result()["choices"][0]["message"]
        messages = [*messages, message]
        if not message.get("tool_calls"):
            break
        for call in message["tool_calls"]:
            sku = json.loads(call["function"]["arguments"])["sku"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps({sku: 3})})
print(message["content"])
