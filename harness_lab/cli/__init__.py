"""The commands that this package adds to ``harness``, and their work."""
