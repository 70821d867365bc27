"""An agent of pydantic-ai, served over AG-UI as its documentation shows it.

AGUI_MODEL is the model that it asks for; with AGUI_TOOLS it has tools of its own. The provider's SDK finds the endpoint
of the harness by its own variable.
"""

import os

from pydantic_ai import Agent
from pydantic_ai.ui.ag_ui import AGUIAdapter
from recording import Recording
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

agent = Agent(os.environ["AGUI_MODEL"])

if os.environ.get("AGUI_TOOLS"):

    @agent.tool_plain
    def get_weather(city: str) -> dict[str, object]:  # noqa: ARG001 - it is the same everywhere
        """The weather in a city."""
        return {"celsius": 4}

    @agent.tool_plain
    def get_wind(city: str) -> dict[str, object]:  # noqa: ARG001 - likewise
        """The wind in a city."""
        return {"knots": 12}


async def run(request: Request) -> Response:
    """One run of the agent."""
    return await AGUIAdapter.dispatch_request(request, agent=agent)


app = Recording(Starlette(routes=[Route("/agui", run, methods=["POST"])]))
