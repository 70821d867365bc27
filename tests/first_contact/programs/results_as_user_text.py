"""FAULT: Responses: results are told to the model in a message of the user, the calls stay open."""

from openai import OpenAI

client = OpenAI()
TOOL = {
    "type": "function",
    "name": "count_rows",
    "description": "Rows of a table.",
    "strict": False,
    "parameters": {"type": "object", "properties": {"table": {"type": "string"}}, "required": ["table"]},
}
items = [{"role": "user", "content": "How many orders are there?"}]
while True:
    answer = client.responses.create(model="gpt-4.1", input=items, tools=[TOOL])
    items += answer.output
    calls = [item for item in answer.output if item.type == "function_call"]
    if not calls:
        break
    items.append({"role": "user", "content": "Tool results: " + ", ".join(f"{call.name}: 7" for call in calls)})
print(answer.output_text)
