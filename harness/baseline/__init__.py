"""Baselines: which findings are expected of a loop that others have written, and why.

``load`` reads one, ``installed`` and ``in_force`` say which of its entries count, ``marked`` holds a case's result
against these, ``stale`` says which of them a run has shown to be needed no more, ``added`` and ``removed`` change the
file's text. The format is described in docs/baselines.md.
"""
