"""Recorded requests under the rules of their wires.

A request that an endpoint accepted must break no certain rule. One that was refused for its history must break the rule
that demands this.
"""
