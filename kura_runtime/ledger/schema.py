"""Tables of the ledger, in SQL that SQLite and PostgreSQL both take. Times are ISO 8601 text in UTC, values JSON text."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

SCHEMA_VERSION = 1

metadata = MetaData()

# SQLite numbers rows by itself only where the key is an INTEGER
_ROW_ID = BigInteger().with_variant(Integer, "sqlite")

meta = Table(
    "meta",
    metadata,
    Column("key", String(64), primary_key=True),
    Column("value", Text, nullable=False),
)

# How far one store has read one journal. `generation` moves when the file turns out to be another file.
journals = Table(
    "journals",
    metadata,
    Column("store", String(64), primary_key=True),
    Column("journal_key", Text, primary_key=True),
    Column("adapter", String(32), nullable=False),
    Column("unit", String(16), nullable=False),
    Column("session", Text, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("read_to", BigInteger, nullable=False),
    Column("tail_start", BigInteger, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("stamp", String(80), nullable=False),
    Column("updated_at", String(40), nullable=False),
)

claims = Table(
    "claims",
    metadata,
    Column("batch_id", String(64), primary_key=True),
    Column("store", String(64), nullable=False),
    Column("journal_key", Text, nullable=False),
    Column("adapter", String(32), nullable=False),
    Column("unit", String(16), nullable=False),
    Column("session", Text, nullable=False),
    Column("generation", Integer, nullable=False),
    Column("walk_start", BigInteger, nullable=False),
    Column("context_start", BigInteger, nullable=False),
    Column("span_start", BigInteger, nullable=False),
    Column("span_end", BigInteger, nullable=False),
    Column("horizon", BigInteger, nullable=False),
    Column("file_time", String(40), nullable=False),
    Column("tool_cap", Integer, nullable=False),
    Column("text_cap", Integer, nullable=False),
    Column("events", Text, nullable=False),
    Column("chars", BigInteger, nullable=False),
    Column("left_out", Text, nullable=False),
    Column("source_sha256", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("errors", Integer, nullable=False),
    Column("last_error", Text, nullable=False),
    Column("claimed_at", String(40), nullable=False),
    Column("updated_at", String(40), nullable=False),
    UniqueConstraint("store", "journal_key", "generation", "span_start", name="one_claim_a_stretch"),
    Index("claims_by_state", "store", "state"),
)

# Which record was first read by which batch: a resumed session copies old rows into a new file.
seen = Table(
    "seen",
    metadata,
    Column("store", String(64), primary_key=True),
    Column("record_key", String(64), primary_key=True),
    Column("batch_id", String(64), nullable=False),
    Index("seen_by_batch", "batch_id"),
    sqlite_with_rowid=False,
)

# What a file held when it was last counted; a cache, keyed by the file's size and time.
counts = Table(
    "counts",
    metadata,
    Column("journal_key", Text, primary_key=True),
    Column("stamp", String(160), nullable=False),
    Column("figures", Text, nullable=False),
)

calls = Table(
    "calls",
    metadata,
    Column("id", _ROW_ID, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False),
    Column("role", String(32), nullable=False),
    Column("model", Text, nullable=False),
    Column("params", Text, nullable=False),
    Column("messages", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("reasoning", Text, nullable=False),
    Column("usage", Text, nullable=False),
    Column("finish", String(64), nullable=False),
    Column("timings", Text, nullable=False),
    Column("created_at", String(40), nullable=False),
    Column("failure", String(64), nullable=False),
    Index("calls_by_key", "key", "failure", "id"),
)

call_uses = Table(
    "call_uses",
    metadata,
    Column("id", _ROW_ID, primary_key=True, autoincrement=True),
    Column("key", String(64), nullable=False),
    Column("asset", Text, nullable=False),
    Column("partition", String(80), nullable=False),
    Column("run_id", String(80), nullable=False),
    Column("replayed", Boolean, nullable=False),
    Column("used_at", String(40), nullable=False),
    Index("call_uses_by_partition", "partition"),
    Index("call_uses_by_key", "key"),
)

# What each call that was sent has cost, and for whom. A row is `open` while its call is under way and then holds an upper
# estimate, so that calls side by side (of several processes, too) cannot pass a budget together.
spending = Table(
    "spending",
    metadata,
    Column("id", _ROW_ID, primary_key=True, autoincrement=True),
    Column("store", String(64), nullable=False),
    Column("run", String(80), nullable=False),
    Column("run_id", String(80), nullable=False),
    Column("asset", Text, nullable=False),
    Column("partition", String(80), nullable=False),
    Column("role", String(32), nullable=False),
    Column("model", Text, nullable=False),
    Column("key", String(64), nullable=False),
    Column("state", String(16), nullable=False),
    Column("failure", String(64), nullable=False),
    Column("tokens_in", BigInteger, nullable=False),
    Column("tokens_out", BigInteger, nullable=False),
    Column("tokens_cached", BigInteger, nullable=False),
    Column("estimated", Boolean, nullable=False),
    Column("money", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("owner", String(160), nullable=False),
    Column("at", String(40), nullable=False),
    Column("expires_at", String(40), nullable=False),
    Index("spending_by_time", "store", "at"),
    Index("spending_by_run", "store", "run"),
    Index("spending_by_state", "store", "state"),
)

# What one step made of one batch: counts and reasons, for coverage and for the audit.
batches = Table(
    "batches",
    metadata,
    Column("store", String(64), primary_key=True),
    Column("batch_id", String(64), primary_key=True),
    Column("step", String(32), primary_key=True),
    Column("figures", Text, nullable=False),
    Column("updated_at", String(40), nullable=False),
)

# Hashes of sentences this system itself has shown to an agent: they are no evidence when they come back.
served = Table(
    "served",
    metadata,
    Column("store", String(64), primary_key=True),
    Column("hash", String(64), primary_key=True),
    Column("first_at", String(40), nullable=False),
    sqlite_with_rowid=False,
)

# How far each append-only segment of the serving paths has been ingested.
segments = Table(
    "segments",
    metadata,
    Column("store", String(64), primary_key=True),
    Column("segment", Text, primary_key=True),
    Column("read_to", BigInteger, nullable=False),
)

pours = Table(
    "pours",
    metadata,
    Column("store", String(64), primary_key=True),
    Column("digest", String(64), primary_key=True),
    Column("batch_id", String(64), nullable=False),
    Column("slug", String(160), nullable=False),
    Column("verdict", String(16), nullable=False),
    Column("action", String(16), nullable=False),
    Column("manifest", String(64), nullable=False),
    Column("revision", Text, nullable=False),
    Column("reason", Text, nullable=False),
    Column("at", String(40), nullable=False),
    Index("pours_by_batch", "store", "batch_id"),
)

metrics = Table(
    "metrics",
    metadata,
    Column("id", _ROW_ID, primary_key=True, autoincrement=True),
    Column("store", String(64), nullable=False),
    Column("name", String(120), nullable=False),
    Column("value", Float, nullable=False),
    Column("labels", Text, nullable=False),
    Column("at", String(40), nullable=False),
    Index("metrics_by_name", "store", "name", "at"),
)
