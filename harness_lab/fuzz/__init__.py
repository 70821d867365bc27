"""Fuzzing: what models and servers may send, made by the thousand, and oracles that judge what becomes of it."""
