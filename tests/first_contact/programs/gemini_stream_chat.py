"""Gemini over plain HTTP, streamed: two questions in one chat, and no tools."""

from plain import GEMINI, events, opened

contents = []
for question in ("Who wrote Faust?", "When?"):
    contents.append({"role": "user", "parts": [{"text": question}]})
    body = {"contents": contents, "systemInstruction": {"parts": [{"text": "Answer in one line."}]}}
    parts = []
    with opened(f"{GEMINI}/models/gemini-2.5-flash-lite:streamGenerateContent?alt=sse", body) as answer:
        for chunk in events(answer):
            for part in chunk["candidates"][0].get("content", {}).get("parts", []):
                print(part.get("text", ""), end="")
                parts.append(part)
    print()
    contents.append({"role": "model", "parts": parts})
