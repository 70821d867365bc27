"""Readers of recordings: corpora, cassettes, single responses, recorded runs."""
