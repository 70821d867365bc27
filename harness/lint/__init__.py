"""Requests in files, judged by the rules of their wires."""
