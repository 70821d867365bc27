"""FAULT: Gemini 3: the model's parts are built anew from name and args, so the thought signatures are lost."""

from plain import GEMINI, post

DECLARED = {"name": "get_level", "description": "Water level.", "parameters": {"type": "OBJECT", "properties": {}}}
contents = [{"role": "user", "parts": [{"text": "How high is the water?"}]}]
while True:
    body = {"contents": contents, "tools": [{"functionDeclarations": [DECLARED]}]}
    answer = post(f"{GEMINI}/models/gemini-3-pro-preview:generateContent", body)
    parts, calls = [], []
    for part in answer["candidates"][0]["content"]["parts"]:
        if "functionCall" in part:
            calls.append(part["functionCall"])
            parts.append({"functionCall": part["functionCall"]})
        elif part.get("text") and not part.get("thought"):
            parts.append({"text": part["text"]})
    contents.append({"role": "model", "parts": parts})
    if not calls:
        break
    results = [{**{k: call[k] for k in ("id", "name") if k in call}, "response": {"metres": 2}} for call in calls]
    contents.append({"role": "user", "parts": [{"functionResponse": result} for result in results]})
print(parts[-1]["text"])
