"""Conformance harness for agent tool-calling loops."""

__version__ = "0.1.0"
