"""The files between the steps: one Parquet file a step and batch, under one root (a folder or an s3:// URL)."""

import hashlib
import io
import os
from typing import Any

import dagster as dg
import pyarrow as pa
import pyarrow.parquet as pq
from upath import UPath


def parquet_bytes(table: pa.Table) -> bytes:
    """The table as one Parquet file: the same table is the same bytes, whenever it is written."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd", store_schema=True)
    return buffer.getvalue()


def table_digest(table: pa.Table) -> str:
    """sha256 (hex) of the table's Parquet bytes: its data version."""
    return hashlib.sha256(parquet_bytes(table)).hexdigest()


class ParquetFiles(dg.UPathIOManager):
    """Writes beside the target and renames (a local crash leaves the old file or the new one); on an object store one
    PUT is atomic by itself."""

    extension = ".parquet"

    def dump_to_path(self, context: dg.OutputContext, obj: Any, path: UPath) -> None:
        data = parquet_bytes(obj)
        if path.protocol in ("", "file", "local"):
            beside = path.with_name(f".{path.name}.{os.getpid()}")
            with beside.open("wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            beside.replace(path)
        else:
            path.write_bytes(data)
        context.add_output_metadata({"rows": obj.num_rows, "bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()})

    def load_from_path(self, context: dg.InputContext, path: UPath) -> pa.Table:
        try:
            return pq.read_table(pa.BufferReader(path.read_bytes()))
        except pa.ArrowInvalid as error:
            raise dg.Failure(f"{path}: damaged Parquet file ({error}); re-run the step that writes it") from None


class ParquetStorage(dg.ConfigurableIOManagerFactory[ParquetFiles]):
    """The IO manager of every batch step; `root` is `[storage] root` of kura.toml."""

    root: str

    def create_io_manager(self, context: dg.InitResourceContext) -> ParquetFiles:
        return ParquetFiles(UPath(self.root))


def step_path(root: str, store: str, step: str, batch: str) -> UPath:
    """Where the IO manager keeps one step's file of one batch."""
    return UPath(root) / store / step / f"{batch}.parquet"
