"""An agent of agno, served over AG-UI as its documentation shows it. AGUI_MODEL is the model that it asks for.

The provider's SDK finds the endpoint of the harness by its own variable.
"""

import os

from agno.agent import Agent
from agno.models.anthropic import Claude
from agno.models.openai import OpenAIChat
from agno.os import AgentOS
from agno.os.interfaces.agui import AGUI

provider, _, name = os.environ["AGUI_MODEL"].partition(":")
model = Claude(id=name) if provider == "anthropic" else OpenAIChat(id=name)
agent = Agent(model=model, telemetry=False)
app = AgentOS(agents=[agent], interfaces=[AGUI(agent=agent)], telemetry=False).get_app()
