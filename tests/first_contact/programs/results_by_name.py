"""FAULT: Gemini: one response for two calls; the results were put into a dict by the tool's name."""

from plain import GEMINI, post

DECLARED = {"name": "get_colour", "description": "?", "parameters": {"type": "OBJECT", "properties": {}}}
contents = [{"role": "user", "parts": [{"text": "Which colours have the door and the wall?"}]}]
while True:
    body = {"contents": contents, "tools": [{"functionDeclarations": [DECLARED]}]}
    content = post(f"{GEMINI}/models/gemini-2.5-flash:generateContent", body)["candidates"][0]["content"]
    contents.append(content)
    calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
    if not calls:
        break
    results = {call["name"]: {"result": "red"} for call in calls}
    parts = [{"functionResponse": {"name": name, "response": result}} for name, result in results.items()]
    contents.append({"role": "user", "parts": parts})
print(content["parts"][-1]["text"])
