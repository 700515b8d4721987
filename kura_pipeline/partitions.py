"""One dynamic partition set a store: a partition is a batch, a batch is a claim."""

import dagster as dg

from kura_pipeline.names import batches_name


def batches(store: str) -> dg.DynamicPartitionsDefinition:
    """The store's batches; the ledger's claims are the truth, this is a view that can be rebuilt from them."""
    return dg.DynamicPartitionsDefinition(name=batches_name(store))
