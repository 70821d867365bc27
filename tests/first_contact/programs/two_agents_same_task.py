"""Self-consistency on Responses: the same agent with the same question five times at once; the votes are counted."""

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

from plain import OPENAI, post, responses_tool

TOOL = responses_tool("calculate", "Work out a sum.", sum="string")


def solve(_):
    items = [{"role": "user", "content": "A train of 120 m passes in 6 s. How fast is it?"}]
    while True:
        body = {"model": "o4-mini", "input": items, "tools": [TOOL], "instructions": "Think, then calculate."}
        output = post(f"{OPENAI}/responses", body)["output"]
        items += output
        calls = [item for item in output if item["type"] == "function_call"]
        if not calls:
            return output[-1]["content"][0]["text"]
        for call in calls:
            value = json.dumps({"value": len(call["arguments"])})
            items.append({"type": "function_call_output", "call_id": call["call_id"], "output": value})


with ThreadPoolExecutor(5) as pool:
    votes = Counter(pool.map(solve, range(5)))
print(votes.most_common(1)[0])
