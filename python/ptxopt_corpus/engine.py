# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who does the work: threads of this process, each with one child process at a time, or the workers of a Dask cluster.

Both take an iterator of batches and give (batch, rows) as they are ready, and keep only some batches in flight, so
that memory does not grow with the number of files.  A file that ends its worker is found by trying the files of its
batch one by one; it is given with the rows None.
"""
import collections
import concurrent.futures
import itertools

from . import children
from .errors import Mistake
from .measure import measure

_IN_FLIGHT = 3  # batches for each worker
_RETRIES = 2  # of a batch whose worker died


def local(settings, batches, jobs):
    """`jobs` threads suffice: all work is in child processes."""
    batches = iter(batches)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        flying = collections.deque()
        try:
            while True:
                for batch in itertools.islice(batches, max(0, _IN_FLIGHT * jobs - len(flying))):
                    flying.append((batch, pool.submit(measure, settings, batch)))
                if not flying:
                    return
                batch, future = flying.popleft()
                yield batch, future.result()
        except BaseException:
            for _, future in flying:
                future.cancel()
            children.stop_all()
            raise


def dask(settings, batches, address):
    """On the cluster whose scheduler has this address."""
    try:
        import distributed
    except ImportError as error:
        raise Mistake("--cluster needs Dask: python3-distributed of Debian, or `pip install distributed`") from error
    try:
        client = distributed.Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        raise Mistake(f"no Dask scheduler at {address}: {error}") from error
    with client:
        yield from _on_client(distributed, client, settings, iter(batches))


def _on_client(distributed, client, settings, batches):
    def submit(batch):
        # A file that ends its worker is tried once alone: by then it has ended some already.
        retried = client.submit(measure, settings, batch, pure=False, retries=_RETRIES if len(batch) > 1 else 0)
        flying[retried] = batch
        return retried

    flying = {}
    room = max(1, sum(client.ncores().values())) * _IN_FLIGHT
    ready = distributed.as_completed([submit(batch) for batch in itertools.islice(batches, room)],
                                     loop=client.loop)
    try:
        for future in ready:
            batch = flying.pop(future)
            if future.status == "finished":
                yield batch, future.result()
            elif len(batch) > 1:
                for item in batch:
                    ready.add(submit([item]))
            elif isinstance(future.exception(), distributed.KilledWorker):
                yield batch, None
            else:
                future.result()  # raises what is wrong with this program
            for more in itertools.islice(batches, max(0, room - len(flying))):
                ready.add(submit(more))
    finally:
        for future in list(flying):
            future.cancel()
