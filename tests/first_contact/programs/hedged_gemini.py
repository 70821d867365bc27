"""Gemini: every request is made twice, one after the other, and the second answer is used, as it came."""

from plain import GEMINI, post

DECLARED = {"name": "get_wind", "description": "Wind at a place.", "parameters": {"type": "OBJECT", "properties": {}}}
URL = f"{GEMINI}/models/gemini-3-pro-preview:generateContent"
contents = []
for question in ("Can I sail today?", "And tomorrow?"):
    contents.append({"role": "user", "parts": [{"text": question}]})
    while True:
        body = {"contents": contents, "tools": [{"functionDeclarations": [DECLARED]}]}
        content = [post(URL, body) for _ in range(2)][1]["candidates"][0]["content"]
        contents.append(content)
        calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        if not calls:
            break
        answers = [
            {"functionResponse": {k: c[k] for k in c if k != "args"} | {"response": {"knots": 9}}} for c in calls
        ]
        contents.append({"role": "user", "parts": answers})
    print(content["parts"][0]["text"])
