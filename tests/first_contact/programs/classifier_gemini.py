"""Gemini with a response schema; asks for each review in threads on one client."""

import json
from concurrent.futures import ThreadPoolExecutor

from google import genai
from google.genai import types

CONFIG = types.GenerateContentConfig(
    system_instruction="You rate restaurant reviews.",
    temperature=0,
    response_mime_type="application/json",
    response_schema={
        "type": "OBJECT",
        "properties": {"stars": {"type": "INTEGER"}, "tone": {"type": "STRING", "enum": ["warm", "cold"]}},
        "required": ["stars", "tone"],
    },
)
SHOTS = [
    types.Content(role="user", parts=[types.Part(text="Great soup, slow service.")]),
    types.Content(role="model", parts=[types.Part(text='{"stars": 4, "tone": "warm"}')]),
]


client = genai.Client()


def rate(review):
    contents = [*SHOTS, types.Content(role="user", parts=[types.Part(text=review)])]
    answer = client.models.generate_content(model="gemini-2.5-flash", contents=contents, config=CONFIG)
    return json.loads(answer.text)


with ThreadPoolExecutor(3) as pool:
    for rating in pool.map(rate, ["Never again.", "A gem!", "Fine.", "Never again."]):
        print("*" * rating["stars"], rating["tone"])
