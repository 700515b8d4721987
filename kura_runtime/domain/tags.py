"""Tags: words about the nature of a memory. Never ranked, never counted."""

from __future__ import annotations

PLAIN_TAGS: frozenset[str] = frozenset(
    {"decision", "preference", "measurement", "lesson", "correction", "fact", "procedure", "reversal"}
)
CLAIMING_TAGS: frozenset[str] = frozenset(
    {"entrusted", "emotion-carried", "commitment", "landmine", "formative"}
)
CODE_ONLY_TAGS: frozenset[str] = frozenset({"recurred"})
FORGETTING_TAGS: frozenset[str] = frozenset(
    {"superseded", "absorbed", "fulfilled", "expired", "corrected", "released", "incidental"}
)
