"""anthropic's own tool runner, with a Python function as the tool."""

import anthropic
from anthropic import beta_tool


@beta_tool
def get_distance(start: str, end: str) -> str:
    """Kilometres between two towns.

    Args:
        start: the first town.
        end: the second town.
    """
    return f"{start} to {end}: 100 km"


runner = anthropic.Anthropic().beta.messages.tool_runner(
    model="claude-sonnet-4-5",
    max_tokens=1000,
    tools=[get_distance],
    messages=[{"role": "user", "content": "How far is it from Bath to York?"}],
)
for message in runner:
    print(*(block.text for block in message.content if block.type == "text"))
