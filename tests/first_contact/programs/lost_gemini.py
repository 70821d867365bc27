"""FAULT: shows answer.text, and never looks at the function calls."""

from google import genai
from google.genai import types

look_up = types.FunctionDeclaration(
    name="look_up", description="Look a word up.", parameters={"type": "OBJECT", "properties": {}}
)
client = genai.Client()
answer = client.models.generate_content(
    model="gemini-2.5-flash",
    contents="What is a gnu?",
    config=types.GenerateContentConfig(tools=[types.Tool(function_declarations=[look_up])]),
)
print("".join(part.text or "" for part in answer.candidates[0].content.parts))
