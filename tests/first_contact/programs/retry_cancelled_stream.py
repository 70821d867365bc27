"""A wrapper with a watchdog: the first stream is given up after its first chunk, and the same is asked again."""

from openai import OpenAI

client = OpenAI(max_retries=0)


def ask(messages, patience):
    text, seen = "", 0
    with client.chat.completions.create(model="gpt-4o-mini", messages=messages, stream=True) as stream:
        for chunk in stream:
            if seen >= patience:
                raise TimeoutError("the model is too slow")
            seen += 1
            text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
    return text


messages = [{"role": "user", "content": "Name a colour."}]
for patience in (1, 1000):
    try:
        print(ask(messages, patience))
    except TimeoutError as slow:
        print(f"trying again: {slow}")
