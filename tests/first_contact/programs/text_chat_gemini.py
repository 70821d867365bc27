"""Gemini without tools: the history has the texts alone."""

from google import genai

client = genai.Client()
contents = []
for question in ("Who painted it?", "When?"):
    contents.append({"role": "user", "parts": [{"text": question}]})
    answer = client.models.generate_content(model="gemini-2.5-flash", contents=contents)
    contents.append({"role": "model", "parts": [{"text": answer.text}]})
    print(answer.text)
