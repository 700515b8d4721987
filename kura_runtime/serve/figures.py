"""Counters of one server, in Prometheus' format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)

from kura_runtime.errors import KuraError

if TYPE_CHECKING:
    from kura_runtime.api import Kura
    from kura_runtime.recall.reply import Reply

_SECONDS = (0.0005, 0.001, 0.0015, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0, 60.0)


class Figures:
    """What this process served since it started. Safe to use from several threads."""

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self._requests = Counter(
            "kura_requests", "requests by route and status", ("route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "kura_request_seconds", "time to answer", ("route",), buckets=_SECONDS, registry=registry
        )
        self._recalls = Counter(
            "kura_recalls", "recalls by store and tier", ("store", "how"), registry=registry
        )
        self._empty = Counter(
            "kura_recalls_empty", "recalls that found nothing", ("store",), registry=registry
        )
        self._degraded = Counter(
            "kura_recalls_degraded", "recalls without the tier that was wanted", ("store",), registry=registry
        )
        self._memories = Gauge("kura_memories", "memories in the store", ("store",), registry=registry)
        self._revision = Gauge("kura_revision", "revision of the store", ("store",), registry=registry)
        self._dropped = Gauge(
            "kura_notes_dropped",
            "notes of what was served that could not be kept",
            ("store",),
            registry=registry,
        )
        self._unreadable = Gauge(
            "kura_store_unreadable", "1 where the store could not be read", ("store",), registry=registry
        )

    def answered(self, route: str, status: int, seconds: float) -> None:
        """One request, by the route's pattern."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def recalled(self, reply: Reply) -> None:
        """One recall."""
        self._recalls.labels(reply.store, reply.how).inc()
        if not reply.picked:
            self._empty.labels(reply.store).inc()
        if reply.degraded:
            self._degraded.labels(reply.store).inc()

    def exposition(self, kura: Kura) -> tuple[bytes, str]:
        """(text, content type), with the gauges of every store looked up now."""
        for name in kura.stores:
            handle = kura.store(name)
            try:
                self._memories.labels(name).set(len(handle.files.slugs()))
                self._revision.labels(name).set(handle.files.revision)
                self._dropped.labels(name).set(handle.log.dropped)
                self._unreadable.labels(name).set(0)
            except (KuraError, OSError):
                self._unreadable.labels(name).set(1)
        return generate_latest(self._registry), CONTENT_TYPE_LATEST
