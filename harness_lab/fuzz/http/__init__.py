"""The campaign ``http``: what clients, broken ones and attackers send to the local server.

``kinds`` are the requests of which an example is made, each with the answers that are right; ``client`` sends one over
loopback; ``oracles`` read the answers with h11, an implementation that shares nothing with the server's.
"""

from harness_lab.fuzz.http.campaign import HttpCampaign

__all__ = ["HttpCampaign"]
