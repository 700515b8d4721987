"""Names in Dagster that follow from a store's name. No import of Dagster: the command line needs them too."""

BUDGET_TAG = "kura/budget"  # runs of one `kura run` or tick carry the same value: together they are one run to the budget
INTERRUPTED_TAG = "kura/interrupted"  # a run that a signal ended; it did not fail


def identifier(store: str) -> str:
    """The store's name as Dagster wants it in names of jobs, sensors and groups."""
    return store.replace("-", "_")


def batches_name(store: str) -> str:
    """Name of the store's partition set."""
    return f"batches__{identifier(store)}"
