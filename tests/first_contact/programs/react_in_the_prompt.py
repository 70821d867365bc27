"""ReAct without tools: the whole scratchpad, with what the model said before, is in one prompt of the user."""

from plain import OPENAI, post

scratchpad = ""
for step in range(3):
    prompt = f"Question: How old is the oldest tree?\n{scratchpad}Thought {step}:"
    body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": prompt}], "temperature": 0}
    said = post(f"{OPENAI}/chat/completions", body)["choices"][0]["message"]["content"]
    scratchpad += f"Thought {step}: {said}\nObservation {step}: nothing found\n"
print(scratchpad)
