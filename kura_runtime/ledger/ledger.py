"""The ledger: one object over one database, with a small verb set for each kind of row."""

from __future__ import annotations

from kura_runtime.ledger.calls import Calls
from kura_runtime.ledger.claims import Claims
from kura_runtime.ledger.database import Database
from kura_runtime.ledger.records import Batches, Counts, Metrics, Pours, Served
from kura_runtime.ledger.spending import Spending


class Ledger:
    """Claims, model calls, step figures, served hashes, pours and metrics. Safe to use from several threads and
    processes; every method is one short transaction.

    Raises ConfigError for an unusable URL, StoreDamaged where the file is no ledger, KuraError where it cannot be written.
    """

    def __init__(self, database: Database) -> None:
        self.database = database
        self.claims = Claims(database)
        self.calls = Calls(database)
        self.spending = Spending(database)
        self.batches = Batches(database)
        self.served = Served(database)
        self.pours = Pours(database)
        self.metrics = Metrics(database)
        self.counts = Counts(database)

    @classmethod
    def open(cls, url: str) -> Ledger:
        """Open (and where needed create) the ledger at a SQLAlchemy URL, such as sqlite:////home/me/.kura/ledger.db."""
        return cls(Database(url))

    def close(self) -> None:
        """Give back the database's connections."""
        self.database.close()
