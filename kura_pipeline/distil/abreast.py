"""Calls side by side, in order, and without holding up a run that is being stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def abreast(work: Callable[[T], R], items: Sequence[T], slots: int) -> Iterator[R]:
    """The results in the order of the items, `slots` at a time.

    One slot runs in the caller's thread, so that an interrupt reaches the call itself. With more, an interrupt or an error
    leaves the running calls behind and starts no further ones: a run that yields to the returning human must not wait an
    hour for an answer nobody will read (the answer is recorded all the same, and replayed later).
    """
    if slots <= 1 or len(items) <= 1:
        yield from map(work, items)
        return
    pool = ThreadPoolExecutor(max_workers=slots)
    try:
        futures = [pool.submit(work, item) for item in items]
        for future in futures:
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
