"""The live look: one case, run afresh for everybody who connects, told over a websocket to a small page."""

from harness.watch.choice import chosen_case
from harness.watch.performance import Performance
from harness.watch.server import watching

__all__ = ["Performance", "chosen_case", "watching"]
