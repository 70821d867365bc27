"""Captions for two pictures, each asked for on Chat and on Responses."""

from openai import OpenAI

client = OpenAI()
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
for kind in ("photo", "drawing"):
    url = f"data:image/png;base64,{PIXEL}"
    parts = [{"type": "text", "text": f"A caption for this {kind}"}, {"type": "image_url", "image_url": {"url": url}}]
    chat = client.chat.completions.create(model="gpt-4o", messages=[{"role": "user", "content": parts}])
    content = [{"type": "input_text", "text": f"A caption for this {kind}"}, {"type": "input_image", "image_url": url}]
    answer = client.responses.create(model="gpt-4o", input=[{"role": "user", "content": content}])
    print(kind, chat.choices[0].message.content, answer.output_text)
