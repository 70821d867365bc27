"""``harness plugins``: what other packages add."""

from __future__ import annotations

from harness.errors import BadInput
from harness.plugins import GROUPS, Plugin, load, plugins
from harness.report.visible import visible

__all__ = ["list_plugins"]


def list_plugins() -> int:
    """Print every group of entry points with what is installed in it. Returns 2 where something cannot be loaded."""
    broken = 0
    for group, what in GROUPS.items():
        print(f"{group}: {what}")
        for plugin in plugins(group).values():
            problem = _problem(plugin)
            broken += bool(problem)
            print(f"  {plugin.name:<20} {plugin.package} {plugin.version}, {plugin.value}")
            if problem:
                print(f"    {visible(problem)}")
    return 2 if broken else 0


def _problem(plugin: Plugin) -> str:
    try:
        load(plugin)
    except BadInput as problem:
        return "; ".join(problem.problems)
    return ""
