"""One model writes, another provider's model criticises, the first one corrects in the same conversation."""

import anthropic
from openai import OpenAI

writer, critic = OpenAI(), anthropic.Anthropic()
messages = [{"role": "user", "content": "Write a slogan for a bakery."}]
for _ in range(2):
    draft = writer.chat.completions.create(model="gpt-4.1", messages=messages).choices[0].message.content
    messages.append({"role": "assistant", "content": draft})
    said = critic.messages.create(
        model="claude-haiku-4-5",
        max_tokens=200,
        messages=[{"role": "user", "content": f"Criticise this slogan: {draft}"}],
    )
    messages.append({"role": "user", "content": f"A critic says: {said.content[0].text} Write it again."})
final = writer.chat.completions.create(model="gpt-4.1", messages=messages)
print(final.choices[0].message.content)
