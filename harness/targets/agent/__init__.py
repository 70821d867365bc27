"""Programs that bring their own prompt and tools, and work on files: where they run, and what they find there.

``setup`` is what a target file says of that, ``folders`` are those of one case, ``words`` the names that the file
may use for what is known only when a case runs, ``watching`` waits for a file of the work directory.
"""

from harness.targets.agent.folders import Workspace, workspace
from harness.targets.agent.setup import AgentSetup, Workdir

__all__ = ["AgentSetup", "Workdir", "Workspace", "workspace"]
