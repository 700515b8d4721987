"""Calls side by side."""

from __future__ import annotations

import threading

import pytest

from kura_pipeline.distil.abreast import abreast


@pytest.mark.parametrize("slots", [0, 1, 2, 8])
def test_results_come_in_the_order_of_the_items(slots):
    assert list(abreast(lambda n: n * n, list(range(7)), slots)) == [0, 1, 4, 9, 16, 25, 36]


def test_one_slot_stays_in_the_callers_thread_so_that_an_interrupt_reaches_it():
    assert set(abreast(lambda _: threading.get_ident(), [1, 2, 3], 1)) == {threading.get_ident()}


def test_an_error_does_not_wait_for_a_call_that_hangs_and_starts_no_further_one():
    hanging, started = threading.Event(), []

    def work(n):
        started.append(n)
        if n == 0:
            raise RuntimeError("stopped")
        hanging.wait(30)
        return n

    with pytest.raises(RuntimeError, match="stopped"):
        list(abreast(work, list(range(20)), 2))
    assert not hanging.is_set()
    assert len(started) < 20
    hanging.set()
