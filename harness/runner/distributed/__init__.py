"""Runs items on other machines with dask.distributed: its scheduler gives batches to workers.

    cluster.py      which scheduler, and a client of it
    cases.py        cases, whose traces come back with the results
    executor.py     the executor: sends batches, collects results, handles the items of workers that died
    errand.py       how a worker of the cluster has a batch done
    host.py         the process that does a batch

Nothing is imported here, so that using one module does not import the others.
"""
