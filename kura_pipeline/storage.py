"""The files between the steps: one Parquet file a step and batch, under one root (a folder or an s3:// URL)."""

import hashlib
import io
import os
from collections.abc import Iterable
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
from upath import UPath

from kura_runtime.errors import StoreDamaged
from kura_runtime.ledger.claims import Claim


def parquet_bytes(table: pa.Table) -> bytes:
    """The table as one Parquet file: the same table is the same bytes, whenever it is written."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", store_schema=True)
    return buffer.getvalue()


def table_digest(table: pa.Table) -> str:
    """sha256 (hex) of the table's Parquet bytes: its data version."""
    return hashlib.sha256(parquet_bytes(table)).hexdigest()


def write_whole(path: UPath, data: bytes) -> None:
    """Write beside the target and rename: a local crash leaves the old file or the new one. On an object store one PUT
    is atomic by itself."""
    if path.protocol not in ("", "file", "local"):
        path.write_bytes(data)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    with beside.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(path)


def read_whole(path: UPath) -> pa.Table:
    """The table of one file. Raises StoreDamaged where it is no Parquet file any more."""
    try:
        return pq.read_table(pa.BufferReader(path.read_bytes()))
    except pa.ArrowInvalid as error:
        raise StoreDamaged(
            path, f"damaged Parquet file ({error}); remove it and re-run the step that writes it"
        ) from None


class ParquetFiles(dg.UPathIOManager):
    """A table in, the same table out; a damaged file names itself."""

    extension = ".parquet"

    def dump_to_path(self, context: dg.OutputContext, obj: Any, path: UPath) -> None:
        data = parquet_bytes(obj)
        write_whole(path, data)
        context.add_output_metadata(
            {"rows": obj.num_rows, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        )

    def load_from_path(self, context: dg.InputContext, path: UPath) -> pa.Table:
        return read_whole(path)


class ParquetStorage(dg.ConfigurableIOManagerFactory[ParquetFiles]):
    """The IO manager of every batch step; `root` is `[storage] root` of kura.toml."""

    root: str

    def create_io_manager(self, context: dg.InitResourceContext) -> ParquetFiles:
        return ParquetFiles(UPath(self.root))


def step_path(root: str, store: str, step: str, batch: str) -> UPath:
    """Where the IO manager keeps one step's file of one batch."""
    return UPath(root) / store / step / f"{batch}.parquet"


def kept_evidence(root: str, store: str, batch: str) -> pa.Table | None:
    """The evidence of a batch where it was written before, else None."""
    path = step_path(root, store, "evidence", batch)
    return read_whole(path) if path.exists() else None


def keep_evidence(root: str, claim: Claim, table: pa.Table) -> None:
    """Write a batch's evidence from the walk that claimed it: from here on the journal is not needed any more."""
    write_whole(step_path(root, claim.store, "evidence", claim.batch_id), parquet_bytes(table))


def oldest_first(root: str, claims: Iterable[Claim]) -> list[str]:
    """Batch ids in the order in which things were said, so that a later word meets the earlier one in the store and not
    the other way round. A batch without evidence or times goes by its file's time."""

    def said(claim: Claim) -> tuple[str, str]:
        try:
            table = kept_evidence(root, claim.store, claim.batch_id)
        except StoreDamaged:  # its own step says so; the others are not kept waiting
            table = None
        times = [t for t in table.column("ts").to_pylist() if t] if table is not None else []
        return (min(times, default=claim.file_time), claim.batch_id)

    return [c.batch_id for c in sorted(claims, key=said)]
