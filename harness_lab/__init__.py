"""The proof of the harness: what breaks its rules on purpose, and what compares it with recordings of others.

The product (``harness``) never imports it. It is a distribution of its own (``pyproject.toml`` here), which adds
``harness lab`` and targets through the entry points that are open to every package (``harness.plugins``).

mutants    wrong loops, traces and requests: each rule is proven by one that it finds
selftest   ``harness lab selftest``: every rule against every mutant
gallery    programs with published mistakes, which ``harness fuzz`` finds
corpus     recorded provider traffic, read and judged
golden     recorded runs of a real loop, compared with the reference loop
drift      what scripted models answer, compared with what real ones answered
"""
