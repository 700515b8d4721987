"""A PostgreSQL server for the tests that want one: the one at KURA_TEST_POSTGRES, else a private one from the machine's own
binaries. Without either, those tests are skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_OPTIONS = "-c listen_addresses= -c fsync=off -c synchronous_commit=off -c max_connections=40"


@contextmanager
def server() -> Iterator[str]:
    """URL of a server's maintenance database, in which databases may be made. Skips the test where there is none."""
    pytest.importorskip("psycopg2")
    given = os.environ.get("KURA_TEST_POSTGRES")
    if given:
        yield given
        return
    initdb, pg_ctl = _binary("initdb"), _binary("pg_ctl")
    if initdb is None or pg_ctl is None:
        pytest.skip("no PostgreSQL here: set KURA_TEST_POSTGRES, or install its server")
    folder = Path(tempfile.mkdtemp(prefix="kura-pg-", dir="/tmp"))  # a socket's path must be short
    data = folder / "data"
    data.mkdir(mode=0o700)
    user: str | None = None
    if os.geteuid() == 0:  # the server refuses to run as root
        user = "nobody"
        for one in (folder, data):
            shutil.chown(one, user)
    started = False
    try:
        _run([initdb, "-D", str(data), "-U", "kura", "--auth=trust", "-E", "UTF8", "--locale=C"], user)
        options = f"{_OPTIONS} -k {folder}"
        _run([pg_ctl, "-D", str(data), "-o", options, "-l", str(data / "log"), "-w", "start"], user)
        started = True
        yield f"postgresql+psycopg2://kura@/postgres?host={folder}"
    finally:
        if started:
            _run([pg_ctl, "-D", str(data), "-m", "immediate", "-w", "stop"], user)
        shutil.rmtree(folder, ignore_errors=True)


def fresh(maintenance: str) -> str:
    """URL of a new, empty database of the server."""
    from sqlalchemy import create_engine
    from sqlalchemy.engine import make_url

    name = f"kura_{uuid.uuid4().hex[:12]}"
    engine = create_engine(maintenance, isolation_level="AUTOCOMMIT")
    with engine.connect() as db:
        db.exec_driver_sql(f"CREATE DATABASE {name}")
    engine.dispose()
    return make_url(maintenance).set(database=name).render_as_string(hide_password=False)


def _binary(name: str) -> str | None:
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((str(h / name) for h in homes if (h / name).exists()), shutil.which(name))


def _run(command: list[str], user: str | None) -> None:
    group = "nogroup" if user else None
    done = subprocess.run(
        command, user=user, group=group, extra_groups=[] if user else None, cwd="/",
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=120, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"PostgreSQL does not start here: {done.stderr.strip().splitlines()[-1:]}")
