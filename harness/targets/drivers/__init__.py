"""Third-party loops, each driven as its own documentation drives it: one module, one function `run`."""
