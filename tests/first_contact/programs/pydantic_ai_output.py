"""pydantic-ai with an output type: the model must call a tool each time, and the last call is the result."""

from pydantic import BaseModel
from pydantic_ai import Agent


class Trip(BaseModel):
    city: str
    days: int


agent = Agent("anthropic:claude-sonnet-4-5", output_type=Trip, instructions="You plan trips.")


@agent.tool_plain
def list_cities(country: str) -> list[str]:
    """The cities of a country."""
    return [f"{country} City"]


for country in ("Chile", "Peru"):
    print(agent.run_sync(f"Plan a trip to {country}.").output)
