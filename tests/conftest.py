"""What all tests share: property tests draw the same examples every time, so that a green run stays green.

HYPOTHESIS_PROFILE=explore looks for new ones; what it finds becomes an `@example` of its test.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """URL of a PostgreSQL server's maintenance database; skips where there is none."""
    from tests.ledger import postgres

    with postgres.server() as at:
        yield at
