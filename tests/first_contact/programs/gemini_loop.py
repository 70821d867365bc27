"""Gemini 3 over plain HTTP: the model's content goes back whole, with its signatures."""

from plain import GEMINI, post

DECLARED = {
    "name": "read_sensor",
    "description": "The value of a sensor.",
    "parameters": {"type": "OBJECT", "properties": {"sensor": {"type": "STRING"}}, "required": ["sensor"]},
}
contents = [{"role": "user", "parts": [{"text": "Compare sensors A and B."}]}]
while True:
    body = {"contents": contents, "tools": [{"functionDeclarations": [DECLARED]}]}
    content = post(f"{GEMINI}/models/gemini-3-pro-preview:generateContent", body)["candidates"][0]["content"]
    contents.append(content)
    calls = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
    if not calls:
        break
    answers = []
    for call in calls:
        response = {"name": call["name"], "response": {"output": 21.5, "sensor": call["args"]["sensor"]}}
        answers.append({"functionResponse": response | ({"id": call["id"]} if "id" in call else {})})
    contents.append({"role": "user", "parts": answers})
print("".join(part.get("text", "") for part in content["parts"]))
