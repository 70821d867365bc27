"""The model calls a tool, which this program may not run here: it says so and fails."""

import sys

from plain import OPENAI, post

TOOL = {"type": "function", "function": {"name": "delete_user", "parameters": {"type": "object", "properties": {}}}}
body = {"model": "gpt-4.1", "messages": [{"role": "user", "content": "Delete user 7."}], "tools": [TOOL]}
if post(f"{OPENAI}/chat/completions", body)["choices"][0]["message"].get("tool_calls"):
    sys.exit("error: delete_user needs --yes")
