"""Tests of servers and gateways: the requests to them, and the judgement of their answers.

A gateway is put between our clients and our models. ``preset`` defines how it is started, ``program`` starts it,
``pairs`` plans scenario x client x upstream, ``playing`` plays one of these with the two ``clients``, ``judging``
returns its findings, and ``running`` makes results of them, in the same form as for loops. ``rules`` judges what
servers and gateways send.
"""
