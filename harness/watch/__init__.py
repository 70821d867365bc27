"""The live view: one case, run anew for each client that connects, and sent over a websocket to a small page."""

from harness.watch.choice import chosen_case
from harness.watch.forms import FORMS
from harness.watch.performance import Performance
from harness.watch.server import watching

__all__ = ["FORMS", "Performance", "chosen_case", "watching"]
