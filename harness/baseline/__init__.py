"""Baselines: which findings are expected of a loop that others have written, and why.

``load`` reads one, ``in_force`` says which of its entries count, ``marked`` compares a case's result with these,
``unneeded`` says what of them a run has shown to be stale, ``drafts`` makes entries of what is not expected, ``add``
and ``remove`` change the file's text. The format is described in docs/baselines.md.
"""
