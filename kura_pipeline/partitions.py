"""One dynamic partition set a store: a partition is a batch, a batch is a claim."""

import dagster as dg


def batches_name(store: str) -> str:
    """Name of the store's partition set."""
    return f"batches__{identifier(store)}"


def batches(store: str) -> dg.DynamicPartitionsDefinition:
    """The store's batches; the ledger's claims are the truth, this is a view that can be rebuilt from them."""
    return dg.DynamicPartitionsDefinition(name=batches_name(store))


def identifier(store: str) -> str:
    """The store's name as Dagster wants it in names of jobs, sensors and groups."""
    return store.replace("-", "_")
