"""Programs that bring their own prompt and tools, and work on files: where they run, and what they find there.

``setup`` has what a target file says about that. ``folders`` makes the folders of one case. ``words`` has the names
that the file may use for values that are known only when a case runs. ``watching`` waits for a file of the work
directory.
"""

from harness.targets.agent.folders import Workspace, workspace
from harness.targets.agent.setup import AgentSetup, Workdir

__all__ = ["AgentSetup", "Workdir", "Workspace", "workspace"]
