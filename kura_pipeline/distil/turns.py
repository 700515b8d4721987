"""Whose turn it is to judge a draft. Two drains of one store must not pay for the same judgement twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from kura_runtime.errors import StoreUnwritable


@contextmanager
def turn(folder: Path, digest: str, draft: Path) -> Iterator[bool]:
    """True while the draft is ours to judge, False where somebody else is at it. `folder` holds the locks; a lock ends with
    its process, however that ends, so a draft is never left behind by a drain that was killed."""
    path = folder / f"{digest}.lock"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path, thread_local=False)
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    except OSError as error:
        raise StoreUnwritable(
            folder, f"cannot mark a draft as being judged ({error.strerror or error}); nothing was changed"
        ) from None
    try:
        yield True
    finally:
        if not draft.exists():
            # whoever opened this very file before it goes looks for the draft once more, and finds none
            with suppress(OSError):
                path.unlink()
        lock.release()
