"""Recorded requests under the rules of their wires.

What an endpoint accepted must break no certain rule; what it refused for its history must break the rule that says so.
"""
