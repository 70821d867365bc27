"""The campaign ``loop``: whole runs, played by scripted models against a loop."""

from harness.fuzz.loop.campaign import LoopCampaign
from harness.fuzz.loop.example import Play

__all__ = ["LoopCampaign", "Play"]
