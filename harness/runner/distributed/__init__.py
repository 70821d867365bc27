"""Items on other machines, by way of dask.distributed: a scheduler that gives batches to workers, and asks for no more.

    cluster.py      which scheduler, and a client of it
    cases.py        cases, whose traces come back with the results
    executor.py     the executor: batches out, results back, what becomes of the items of workers that died
    errand.py       a batch as a worker of the cluster has it done
    host.py         the process in which it is done

Nothing is imported here: whoever uses one of them need not wait for the others.
"""
