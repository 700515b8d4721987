"""Staying resident: one tick after another, with a rest where there was nothing to do. No daemon and no web interface."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import FrameType

from kura_pipeline.tick import TickResult, tick_store
from kura_runtime.config.model import Config, StoreConfig
from kura_runtime.errors import KuraError

LOOK_S = 60.0  # between two looks while there is something to wait for
_STEP_S = 0.5


def tend(
    config: Config,
    cfg: StoreConfig,
    *,
    rest: Callable[[float], bool],
    say: Callable[[str], None],
    done: Callable[[TickResult], None],
) -> int:
    """Tick until `rest` (seconds to wait → whether to stop) says so; returns how many ticks did work. An error is said, and
    the next tick tries again: a tender that died of one bad night would be found out by nobody."""
    worked = 0
    while True:
        wait = LOOK_S
        try:
            result = tick_store(config, cfg, now=datetime.now(UTC), say=say)
        except KuraError as error:
            if error.exit_code == 64:  # no later tick can be better before somebody edits the configuration
                raise
            say(str(error))
        else:
            worked += result.code == 0
            done(result)
            if result.code == 2 and not result.skipped.startswith("active"):
                wait = max(LOOK_S, cfg.distill.backoff_min * 60)
        if rest(wait):
            return worked


@contextmanager
def until_stopped() -> Iterator[Callable[[float], bool]]:
    """A `rest` that SIGTERM and Ctrl-C end: the batch at hand is finished, and nothing new is begun."""
    # a plain flag, looked at often: a handler that takes a lock would wait for ever for the code that it interrupted
    stopped: list[int] = []

    def rest(seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not stopped and (left := end - time.monotonic()) > 0:
            time.sleep(min(left, _STEP_S))
        return bool(stopped)

    def stop(number: int, _frame: FrameType | None) -> None:
        stopped.append(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield rest
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
