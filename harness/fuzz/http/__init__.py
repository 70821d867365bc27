"""The campaign ``http``: requests of good clients, broken ones and attackers to the local server.

``kinds`` are the requests of an example, each with its right answers; ``client`` sends one over loopback; ``oracles``
read the answers with h11, an implementation that shares nothing with the server's.
"""
