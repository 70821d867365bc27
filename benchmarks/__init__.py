"""How fast the harness is, beside its peers: ``python -m benchmarks [NAME...]``.

A module here is one benchmark: its ``figures(quick)`` measures and gives ``Figure``s one by one. What they share is in
``tracking``: how a figure is measured, told and kept. ``programs`` holds what they start as processes of their own.
"""
