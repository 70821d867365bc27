"""pydantic-ai on Responses with a reasoning model: three questions, each with the messages before it."""

from pydantic_ai import Agent

agent = Agent("openai-responses:gpt-5", instructions="You know the garden.")


@agent.tool_plain
def get_moisture(bed: str) -> float:
    """How moist a bed is."""
    return 0.4


messages = []
for question in ("Is bed 1 dry?", "And bed 2?", "Shall I water?"):
    result = agent.run_sync(question, message_history=messages)
    messages = result.all_messages()
    print(result.output)
