"""Recorded responses through the provider sessions.

Every recorded response goes through the session of its wire, on the official SDK; the turn must be the one that an
independent reading of the recording finds. So sessions are tested on what servers really send.
"""
