"""Closed and broken streams, full disks and odd locales: the command ends quietly or with a plain line, and with its own code."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from kura_runtime.store.store import Store
from tests.cli.process import kura, shell


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("streams")
    (folder / "kura.toml").write_text('[stores.main]\npath = "store"\n', encoding="utf-8")
    store = Store.create(folder / "store", name="main")
    rows = folder / "rows.jsonl"  # more of them than a pipe holds
    rows.write_text("".join(json.dumps({
        "slug": f"row-{n}", "title": f"Row {n}", "trigger": f"row {n} of the harvest ledger " + "wheat " * 20, "type": "project",
        "body": f"Row {n}.",
    }) + "\n" for n in range(300)))  # fmt: skip
    store.import_jsonl(rows)
    return folder / "kura.toml"


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("command", "code"), [("index", 0), ("doctor", 0), ("drafts", 2), ("read", 64), ("read nope", 1)]
)
def test_a_closed_stream_changes_nothing_about_the_code(
    config: Path, closed: str, command: str, code: int
) -> None:
    done = shell(f"kura {command} -c '{config}' {closed}")
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    if code > 2 and "2>&-" not in closed:
        assert done.stderr.startswith("kura: ")


def test_what_is_printed_to_a_closed_stream_lands_in_no_file(config: Path) -> None:
    before = {p: p.read_bytes() for p in config.parent.joinpath("store").glob("*.md")}
    assert (
        shell(
            f"kura remember late-entry 'the late entry of the ledger' 'Text.' -c '{config}' >&- 2>&-"
        ).returncode
        == 0
    )
    after = {p: p.read_bytes() for p in before}
    assert {p for p in before if before[p] != after[p]} == {config.parent / "store" / "MEMORY.md"}
    assert b"created: late-entry" not in (config.parent / "store" / "late-entry.md").read_bytes()


@pytest.mark.parametrize("reader", ["head -1", "true"])
@pytest.mark.parametrize("command", ["index", "index --json", "map"])
def test_a_reader_that_goes_away_is_no_failure(config: Path, reader: str, command: str) -> None:
    done = shell(f"kura {command} -c '{config}' | {reader}")
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_the_code_of_a_command_whose_reader_went_away_is_its_own(config: Path) -> None:
    assert shell(f"kura read nope -c '{config}' 2>&1 | true").returncode == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_an_answer_that_could_not_be_written_is_said_and_is_a_failure(config: Path) -> None:
    done = shell(f"kura index -c '{config}' > /dev/full")
    assert done.returncode == 1 and done.stderr.startswith("kura: standard output: "), done.stderr


def test_standard_input_that_is_closed_is_named_where_it_was_to_be_read(config: Path) -> None:
    done = shell(f"kura remember by-hand 'a memory by hand' - -c '{config}' <&-")
    assert done.returncode == 64 and "BODY" in done.stderr, done.stderr
    assert not (config.parent / "store" / "by-hand.md").exists()


@pytest.mark.parametrize("locale", ["C", "POSIX", "en_US.ISO-8859-1"])
def test_every_script_is_read_and_printed_in_every_locale(tmp_path: Path, locale: str) -> None:
    (tmp_path / "kura.toml").write_text('[stores.main]\npath = "蔵 des Müllers"\n', encoding="utf-8")
    Store.create(tmp_path / "蔵 des Müllers", name="main")
    how = {"LC_ALL": locale, "LANG": locale}
    put = shell(
        f"printf '収穫は十月に終わる。' | kura remember ernte 'Die Ernte endet im Oktober' - -c '{tmp_path}/kura.toml'",
        **how,
    )
    assert put.returncode == 0, put.stderr
    said = shell(f"kura read ernte --json -c '{tmp_path}/kura.toml'", **how)
    assert json.loads(said.stdout)["summary"] == "収穫は十月に終わる。"


def test_the_store_s_own_code_is_what_a_child_of_python_ends_with(config: Path) -> None:
    done = kura("index", "-c", str(config))
    assert done.returncode == 0 and sys.getdefaultencoding() == "utf-8" and "row-0" in done.stdout
