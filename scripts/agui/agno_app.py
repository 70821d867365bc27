"""An agent of agno, served over AG-UI as its documentation shows it.

AGUI_MODEL is the model that it asks for; with AGUI_TOOLS it has tools of its own. Runs that go on with results of tools
of the user's program need a database. The provider's SDK finds the endpoint of the harness by its own variable.
"""

import json
import os

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.anthropic import Claude
from agno.models.openai import OpenAIChat
from agno.os import AgentOS
from agno.os.interfaces.agui import AGUI
from recording import Recording


def get_weather(city: str) -> str:  # noqa: ARG001 - it is the same everywhere
    """The weather in a city."""
    return json.dumps({"celsius": 4})  # what is no text agno sends as Python prints it


def get_wind(city: str) -> str:  # noqa: ARG001 - likewise
    """The wind in a city."""
    return json.dumps({"knots": 12})


provider, _, name = os.environ["AGUI_MODEL"].partition(":")
model = Claude(id=name) if provider == "anthropic" else OpenAIChat(id=name)
own = [get_weather, get_wind] if os.environ.get("AGUI_TOOLS") else []
agent = Agent(model=model, tools=own, db=InMemoryDb(), telemetry=False)
app = Recording(AgentOS(agents=[agent], interfaces=[AGUI(agent=agent)], telemetry=False).get_app())
