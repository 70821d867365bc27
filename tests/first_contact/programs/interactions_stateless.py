"""Interactions without memory: the model's steps go back as they came, with the results behind them."""

from plain import GEMINI, post, responses_tool

TOOL = responses_tool("get_depth", "Depth of a lake.", lake="string")
steps = [{"type": "user_input", "content": [{"type": "text", "text": "Which lake is deeper?"}]}]
while True:
    body = {"model": "gemini-3-flash-preview", "store": False, "tools": [TOOL], "input": steps}
    said = post(f"{GEMINI}/interactions", body)["steps"]
    steps += said
    calls = [step for step in said if step["type"] == "function_call"]
    if not calls:
        break
    for call in calls:
        result = {"metres": 100, "lake": call["arguments"]["lake"]}
        steps.append({"type": "function_result", "call_id": call["id"], "name": call["name"], "result": result})
print(said[-1]["content"][0]["text"])
