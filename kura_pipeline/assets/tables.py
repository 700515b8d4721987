"""Domain values as rows of Parquet and back: a few readable columns, and the whole value as JSON in `data`."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import pyarrow as pa
from pydantic import TypeAdapter

T = TypeVar("T")
Columns = Mapping[str, tuple[pa.DataType, Callable[[Any], Any]]]

TEXT, COUNT, FLAG = pa.string(), pa.int64(), pa.bool_()


def pack(values: Iterable[T], kind: type[T], columns: Columns) -> pa.Table:
    """One row a value: the named columns (for people and queries), then `data`, from which `unpack` gets it back."""
    adapter = TypeAdapter(kind)
    rows = list(values)
    arrays = [pa.array([of(v) for v in rows], type=type_) for type_, of in columns.values()]
    arrays.append(pa.array([adapter.dump_json(v).decode() for v in rows], type=TEXT))
    return pa.table(arrays, names=[*columns, "data"])


def unpack(table: pa.Table, kind: type[T]) -> list[T]:
    """The values that `pack` wrote, in order."""
    adapter = TypeAdapter(kind)
    return [adapter.validate_json(text) for text in table.column("data").to_pylist()]
