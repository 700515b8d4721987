"""Every route against requests drawn from its own description: no fault of ours, and no answer that is not described."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.specs.openapi.checks import positive_data_acceptance

import kura_runtime
from kura_runtime.serve.app import build_app

from .rooms import project

_FOLDER = tempfile.TemporaryDirectory(prefix="kura-openapi-")
_FILE = project(Path(_FOLDER.name))
_FILE.write_text(
    f'[stores.maker]\npath = "{Path(_FOLDER.name) / "maker"}"\n', encoding="utf-8"
)  # one store: none to name
_APP = build_app(kura_runtime.open(_FILE))
schema = schemathesis.openapi.from_asgi("/openapi.json", _APP, headers={"host": "127.0.0.1"})


@pytest.mark.slow
@schema.parametrize()
@settings(max_examples=60, suppress_health_check=list(HealthCheck))
def test_no_request_however_odd_is_answered_with_a_fault_or_with_what_is_not_described(case) -> None:  # type: ignore[no-untyped-def]
    # a slug that is no slug and a proposal that is not there are refused by rules no description can hold
    case.call_and_validate(headers={"host": "127.0.0.1"}, excluded_checks=[positive_data_acceptance])
