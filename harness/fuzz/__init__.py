"""Fuzzing: messages that models and servers may send, made by the thousand, and oracles that judge the results."""
