"""A chat on Responses that asks for a title and follow-up questions on a copy of its history, and then goes on."""

from plain import OPENAI, post


def ask(items):
    output = post(f"{OPENAI}/responses", {"model": "gpt-4.1", "input": items, "store": False})["output"]
    return [item for item in output if item["type"] == "message"]


history = []
for question in ("What is a fjord?", "Where is the longest?"):
    history.append({"role": "user", "content": question})
    history += ask(history)
    print(history[-1]["content"][0]["text"])
    for order in ("Write a title for this conversation.", "Suggest three questions that I could ask next."):
        print("  ", ask([*history, {"role": "user", "content": order}])[0]["content"][0]["text"])
