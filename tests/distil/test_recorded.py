"""Replay through the project's real ledger: what was paid once is never paid again, in whatever process."""

from __future__ import annotations

from contextlib import closing

from kura_runtime.ledger.ledger import Ledger
from tests.distil.test_steps import good_cast
from tests.distil.workshop import workshop


def test_a_second_process_with_the_same_ledger_sends_no_request(tmp_path):
    url = f"sqlite:///{tmp_path / 'ledger.db'}"
    with workshop(tmp_path, good_cast()) as w:
        with closing(Ledger.open(url)) as ledger:
            w.ledger = ledger.calls
            first = w.run(pour=False)
            files, asked = w.files(), len(w.model.requests)
        with closing(Ledger.open(url)) as ledger:
            w.ledger = ledger.calls
            again = w.run(pour=False)
            calls = ledger.calls.several(first.drafted.drafts and first.drafted.rows()[0].calls)
        assert len(w.model.requests) == asked
        assert again.drafted.rows() == first.drafted.rows()
        assert w.files() == files
        assert {c.role for c in calls.values()} == {"brain", "scribe"}
        assert all("kura-distill-session" in c.messages[0]["content"] for c in calls.values())
