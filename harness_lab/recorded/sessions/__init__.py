"""Recorded responses through the provider sessions.

Every recorded response goes through the session of its wire, on the official SDK; the turn must be what an independent
reading of the recording gives. Sessions are so proven on what servers really send.
"""
