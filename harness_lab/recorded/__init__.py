"""Recordings compared with our own code.

recording    what was recorded, wherever it lies: exchanges with a provider, or a run of a loop
comparison   where ours differs from a recording, and which known reason explains it
totals       comparisons counted, as lines of plain text
reading      corpora, cassettes, responses in files and recorded runs, read into a recording
sessions     recorded responses through the provider sessions, against independent readings
requests     recorded requests under the rules of their wires
drift        recorded responses against what the renderers write
golden       recorded runs and measured cases against the reference loop and the rules
loops        recorded loops continued by the reference adapters, and written as cassettes
"""
