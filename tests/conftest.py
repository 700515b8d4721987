"""What all tests share: property tests draw the same examples every time, so that a green run stays green.

HYPOTHESIS_PROFILE=explore looks for new ones; what it finds becomes an `@example` of its test.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.register_profile("explore", max_examples=2000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
