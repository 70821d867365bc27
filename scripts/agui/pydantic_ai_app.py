"""An agent of pydantic-ai, served over AG-UI as its documentation shows it. AGUI_MODEL is the model that it asks for.

The provider's SDK finds the endpoint of the harness by its own variable.
"""

import os

from pydantic_ai import Agent
from pydantic_ai.ui.ag_ui import AGUIAdapter
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

agent = Agent(os.environ["AGUI_MODEL"])


async def run(request: Request) -> Response:
    """One run of the agent."""
    return await AGUIAdapter.dispatch_request(request, agent=agent)


app = Starlette(routes=[Route("/agui", run, methods=["POST"])])
