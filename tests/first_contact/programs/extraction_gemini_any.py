"""Gemini in mode ANY: the arguments of the call are what is wanted."""

from google import genai
from google.genai import types

save = types.FunctionDeclaration(
    name="save_recipe",
    description="Save a recipe.",
    parameters=types.Schema(
        type="OBJECT",
        properties={
            "title": types.Schema(type="STRING"),
            "minutes": types.Schema(type="INTEGER"),
            "steps": types.Schema(type="ARRAY", items=types.Schema(type="STRING")),
        },
        required=["title", "steps"],
    ),
)
client = genai.Client()
for text in ["Boil the egg for six minutes.", "Mix and bake for an hour."]:
    answer = client.models.generate_content(
        model="gemini-2.5-pro",
        contents=text,
        config=types.GenerateContentConfig(
            tools=[types.Tool(function_declarations=[save])],
            tool_config=types.ToolConfig(
                function_calling_config=types.FunctionCallingConfig(mode="ANY", allowed_function_names=["save_recipe"])
            ),
        ),
    )
    recipe = answer.function_calls[0].args
    print(recipe["title"], len(recipe["steps"]))
