"""A planner that has no tools, an executor with tools for every step, and a writer that sees only their results."""

import json

from openai import OpenAI
from plain import strict_tool

client = OpenAI()
MODEL = "gpt-5-mini"
TOOLS = [strict_tool("run_query", "Run SQL.", sql="string")]
TASK = "Which customers have left us?"


def execute(step):
    items = [{"role": "user", "content": f"Task: {TASK}\nDo this step: {step}"}]
    while True:
        answer = client.responses.create(model=MODEL, input=items, tools=TOOLS)
        items += answer.output
        calls = [item for item in answer.output if item.type == "function_call"]
        if not calls:
            return answer.output_text
        for call in calls:
            rows = [[json.loads(call.arguments)["sql"], 1]]
            items.append({"type": "function_call_output", "call_id": call.call_id, "output": json.dumps(rows)})


plan = client.responses.create(model=MODEL, input=f"Plan the steps, one a line. Task: {TASK}").output_text
done = [execute(f"{at}. {line}") for at, line in enumerate([*plan.splitlines(), "Check the result."])]
print(client.responses.create(model=MODEL, input=f"Task: {TASK}\nResults: {done}\nWrite the answer.").output_text)
