"""Sealed processes: namespaces of Linux in which a loop reaches the endpoint and nothing else, and ends with its case.

``kernel`` has the system calls, ``namespaces`` what is made of them, ``worker`` seals a worker process from within,
``spawner`` and ``init`` are the processes behind a seal that start commands, ``commands`` is the harness's side of it,
and ``allowed`` says whether this machine permits it. Nothing here knows cases, targets or HTTP.

``spawner``, ``init`` and what they import are loaded by a bare interpreter, so they import little.
"""
