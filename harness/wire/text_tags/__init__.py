"""Tool calls written as text: the protocol of models that have no function calling.

    <tool_call>{"name": "read_file", "args": {"path": "a.py"}}</tool_call>
    <|tool_call>call:read_file{path: "a.py"}<tool_call|>

Pure: text in, values out. ``TextTags`` parses an answer while it arrives; ``prompt`` has what the model is told.

Source: the design document "Hugind Tool Calling Flow". Where this parser departs from the program behind it,
``docs/deviations.md`` says why.
"""

from harness.wire.text_tags.call import TextCall
from harness.wire.text_tags.reader import Said
from harness.wire.text_tags.stream import TextTags, parse_tool_calls, strip_thinking, strip_tool_calls

__all__ = ["Said", "TextCall", "TextTags", "parse_tool_calls", "strip_thinking", "strip_tool_calls"]
