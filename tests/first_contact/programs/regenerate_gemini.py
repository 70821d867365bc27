"""Gemini: the user has an answer made again and keeps the second one, then the chat goes on from that."""

from plain import GEMINI, post


def ask(contents):
    answer = post(f"{GEMINI}/models/gemini-2.5-flash:generateContent", {"contents": contents})
    return answer["candidates"][0]["content"]


contents = [{"role": "user", "parts": [{"text": "Name a river."}]}]
ask(contents)
contents += [ask(contents), {"role": "user", "parts": [{"text": "Where does it end?"}]}]
print(ask(contents)["parts"][0]["text"])
