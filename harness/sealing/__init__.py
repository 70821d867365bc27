"""Sealed processes: Linux namespaces in which a loop reaches only the endpoint, and which end with its case.

``kernel`` has the system calls, ``namespaces`` combines them, ``worker`` seals a worker process from within,
``spawner`` and ``init`` are the processes behind a seal that start commands, ``commands`` is the harness's side of it,
and ``allowed`` checks whether this machine permits it. Nothing here knows cases, targets or HTTP.

``spawner``, ``init`` and what they import are loaded by a bare interpreter, so they import little.
"""
