"""``harness cassettes``: what lies in a folder of cassettes, and what is to be done about it."""
