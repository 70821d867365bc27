"""Look at the list of models, let the question be moderated where that is served, then answer it."""

import json
from urllib.error import HTTPError
from urllib.request import urlopen

from plain import OPENAI, post

try:
    with urlopen(f"{OPENAI}/models") as listed:
        models = [each["id"] for each in json.load(listed)["data"]]
except HTTPError:
    models = []
model = "gpt-4.1" if "gpt-4.1" in models or not models else models[0]
question = "How do I sharpen a knife?"
try:
    flagged = post(f"{OPENAI}/moderations", {"input": question})["results"][0]["flagged"]
except HTTPError as missing:
    if missing.code != 404:
        raise
    flagged = False
if not flagged:
    body = {"model": model, "messages": [{"role": "user", "content": question}]}
    print(post(f"{OPENAI}/chat/completions", body)["choices"][0]["message"]["content"])
