"""Interactions without memory and without tools: every language is asked for by itself."""

from plain import GEMINI, post

for language in ("French", "Dutch", "French"):
    body = {"model": "gemini-2.5-flash", "input": f"'Hello' in {language}?", "store": False}
    answer = post(f"{GEMINI}/interactions", body)
    texts = [part["text"] for step in answer["steps"] if step["type"] == "model_output" for part in step["content"]]
    print(language, *texts)
