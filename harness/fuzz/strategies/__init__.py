"""Hypothesis strategies for what models and servers send, for use in anybody's tests."""
