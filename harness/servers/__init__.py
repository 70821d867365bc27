"""Servers and gateways under test: what is asked of them, and what comes of it.

A gateway is put between our clients and our models. ``preset`` says how it is started, ``program`` starts it, ``pairs``
plans scenario x client x upstream, ``playing`` plays one of these with the two ``clients``, ``judging`` says what is
wrong with it, and ``running`` makes results of that, in the form of those of loops. ``rules`` judges
what servers and gateways send.
"""
