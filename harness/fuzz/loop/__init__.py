"""The campaign ``loop``: whole runs, played by scripted models against a loop."""

from harness_lab.fuzz.loop.campaign import LoopCampaign
from harness_lab.fuzz.loop.example import Play

__all__ = ["LoopCampaign", "Play"]
