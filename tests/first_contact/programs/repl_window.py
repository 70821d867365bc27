"""A chat without tools that sends its last five messages only, as many tutorials do."""

from plain import OPENAI, post

history = []
for question in ("Hello", "Who are you?", "What can you do?", "Do it.", "Bye"):
    history.append({"role": "user", "content": question})
    window = [{"role": "system", "content": "You are brief."}, *history[-5:]]
    message = post(f"{OPENAI}/chat/completions", {"model": "gpt-4o-mini", "messages": window})["choices"][0]["message"]
    history.append({"role": "assistant", "content": message["content"]})
    print(message["content"])
