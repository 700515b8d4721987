"""The rows of every step survive the way through Parquet unchanged: the next step reads what this one wrote."""

from __future__ import annotations

from kura_pipeline.assets.tables import COUNT, pack, unpack
from kura_pipeline.distil.drafting import DraftRow
from kura_pipeline.distil.gating import Gated
from kura_pipeline.distil.pouring import PourRow
from kura_pipeline.distil.spot import Proposal
from tests.distil.material import ARCHIVE, ARCHIVE_SURFACE
from tests.distil.test_steps import good_cast
from tests.distil.workshop import workshop


def there_and_back(rows, kind):
    assert rows
    assert unpack(pack(rows, kind, {"n": (COUNT, lambda _: 1)}), kind) == rows


def test_rows_of_every_step_come_back_as_they_were(tmp_path):
    with workshop(tmp_path, good_cast()) as w:
        run = w.run()
        there_and_back(run.spotted.rows(), Proposal)
        there_and_back(run.gated.rows(), Gated)
        there_and_back(run.drafted.rows(), DraftRow)
        there_and_back(run.poured.rows(), PourRow)


def test_rows_of_what_fell_come_back_too(tmp_path):
    wrong = {**ARCHIVE_SURFACE, "body": "The archive holds 99 GB."}
    absent = {**ARCHIVE, "topic": "never said", "quotes": ["[USER] words that nobody ever said in here"]}
    with workshop(tmp_path, good_cast(spot=[ARCHIVE, absent], compose=wrong)) as w:
        run = w.run()
        there_and_back(run.gated.rows(), Gated)
        there_and_back(run.drafted.rows(), DraftRow)
        assert run.gated.reasons == {"not-found": 1}
        assert {d["stage"] for d in w.store.dropped()} == {"gate", "floor"}
