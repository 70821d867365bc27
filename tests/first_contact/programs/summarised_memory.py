"""A chat with a summary for a memory: after two rounds it goes on from the summary alone."""

from openai import OpenAI

client = OpenAI()
SYSTEM = "You are a patient tutor."
summary, recent = "", []


def complete(messages):
    return client.chat.completions.create(model="gpt-4.1-mini", messages=messages).choices[0].message.content


for question in ("What is a prime?", "Is 91 one?", "And 97?", "Why not 1?", "Thanks!"):
    system = {"role": "system", "content": f"{SYSTEM}\nSo far: {summary}" if summary else SYSTEM}
    recent.append({"role": "user", "content": question})
    recent.append({"role": "assistant", "content": complete([system, *recent])})
    if len(recent) == 4:
        said = "\n".join(f"{each['role']}: {each['content']}" for each in recent)
        summary = complete([{"role": "user", "content": f"Summarise.\n{summary}\n{said}"}])
        recent = []
print(summary)
