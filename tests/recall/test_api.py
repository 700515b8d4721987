"""The Python door on a real store."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import kura_runtime as kura
from kura_runtime.recall import snapshot
from kura_runtime.recall.served import read_served
from kura_runtime.resident.weave import weave
from kura_runtime.store.store import Store
from tests.scripted_model import ScriptedModel, say

BODY = "The archive goes on the slow disk in bay 3. The fast disk is scratch space.\nRelated: [[disk-layout]]"


def write_config(folder: Path, more: str = "") -> Path:
    for name in ("maker", "eq"):
        Store.create(folder / name, name=name)
    file = folder / "kura.toml"
    file.write_text(
        f'[stores.maker]\npath = "{folder / "maker"}"\n[stores.eq]\npath = "{folder / "eq"}"\n[modes]\nbuild = "maker"\n{more}',
        encoding="utf-8",
    )
    return file


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_config(tmp_path)


@pytest.fixture
def maker(config: Path) -> kura.StoreHandle:
    handle = kura.open(config).store("maker")
    handle.remember(
        "archive-on-slow-disk",
        "the archive lives on the slow disk in bay 3; the fast one stays scratch",
        BODY,
        title="Archive on slow disk",
    )
    handle.remember("disk-layout", "bay 1 fast, bay 3 slow", "Two bays.", title="Layout of the disks")
    return handle


QUESTION = "on which disk does the archive live, the slow one in bay 3?"


def test_a_store_is_found_by_its_name_or_a_mode_and_never_by_default(config: Path) -> None:
    k = kura.open(config)
    assert k.store("build") is k.store("maker") and k.stores == ("maker", "eq")
    for name in ("", "  ", "makr", "MAKER", "../maker"):
        with pytest.raises(kura.UnknownStore):
            k.store(name)


def test_even_a_single_store_is_no_default(tmp_path: Path) -> None:
    Store.create(tmp_path / "only", name="only")
    (tmp_path / "kura.toml").write_text(f'[stores.only]\npath = "{tmp_path / "only"}"\n')
    with pytest.raises(kura.UnknownStore):
        kura.open(tmp_path / "kura.toml").store("")


def test_open_looks_at_the_variable_then_here_then_at_home(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    monkeypatch.setenv("HOME", str(empty))
    monkeypatch.delenv("KURA_CONFIG", raising=False)
    with pytest.raises(kura.ConfigError):
        kura.open()
    home = empty / ".config" / "kura"
    home.mkdir(parents=True)
    (home / "kura.toml").write_text(config.read_text())
    assert kura.open().config.file == home / "kura.toml"
    (empty / "kura.toml").write_text(config.read_text())
    assert kura.open().config.file == empty / "kura.toml"
    monkeypatch.setenv("KURA_CONFIG", str(config))
    assert kura.open().config.file == config


def test_what_was_remembered_is_recalled_at_once_with_its_neighbour(maker: kura.StoreHandle) -> None:
    reply = maker.recall(QUESTION)
    assert (
        reply.how == "fastpath"
        and reply.picked == ("archive-on-slow-disk",)
        and reply.walked == ("disk-layout",)
    )
    assert reply.store == "maker" and reply.revision == 2 and "bay 3" in reply.context
    maker.remember("tea-room", "the tea room closes at 18:30", "Ask Mina.")
    assert maker.recall("when does the tea room close?").picked == ("tea-room",)


def test_stores_share_nothing(maker: kura.StoreHandle, config: Path) -> None:
    assert kura.open(config).store("eq").recall(QUESTION).picked == ()


def test_arecall_is_recall(maker: kura.StoreHandle) -> None:
    async def ask() -> list[kura.Reply]:
        return list(await asyncio.gather(*(maker.arecall(QUESTION, hops=0) for _ in range(5))))

    assert all(r.picked == ("archive-on-slow-disk",) and r.walked == () for r in asyncio.run(ask()))


def test_reading_paths_and_their_shapes(maker: kura.StoreHandle) -> None:
    index = maker.index()
    assert index["store"] == "maker" and [m["slug"] for m in index["memories"]] == [
        "archive-on-slow-disk",
        "disk-layout",
    ]
    assert {"slug", "title", "trigger", "state", "updated"} <= set(index["memories"][0]) and index[
        "tokens"
    ] > 0
    assert maker.read("disk-layout").to_json()["summary"].startswith("Two bays")
    assert "bay 3" in maker.glance("archive-on-slow-disk")
    assert "(archive-on-slow-disk.md)" in maker.prefill().text
    made = maker.context(QUESTION, total_input_tokens=10_000).to_json()
    assert [b["name"] for b in made["blocks"]] == ["rules", "index", "recall"] and 0 < made["share"] < 0.2
    assert maker.why("disk-layout")["provenance"] == "direct"
    json.dumps([index, made])


@pytest.mark.parametrize("slug", ["nope", "../maker/archive-on-slow-disk", "Disk-Layout", ""])
def test_an_explicit_read_is_exact(maker: kura.StoreHandle, slug: str) -> None:
    for call in (maker.read, maker.glance, maker.why):
        with pytest.raises(kura.UnknownMemory):
            call(slug)


def test_every_way_out_is_noted_as_served(maker: kura.StoreHandle) -> None:
    from kura_runtime.gate.echo import served_hashes

    sentence = "The fast disk is scratch space."
    for way in (
        lambda: maker.recall(QUESTION),
        lambda: maker.read("archive-on-slow-disk"),
        lambda: maker.glance("archive-on-slow-disk"),
    ):
        for file in maker.files.path.glob("_kura/log/*"):
            file.unlink()
        maker.__dict__.pop("log", None)
        way()
        maker.flush()
        assert set(served_hashes(sentence)) <= read_served(maker.files.path)
    line = "the archive lives on the slow disk in bay 3; the fast one stays scratch"
    for way in (maker.index, maker.prefill, lambda: maker.context(QUESTION)):
        maker.__dict__.pop("log", None)
        way()
        maker.flush()
    assert maker.log.dropped == 0 and any(
        set(served_hashes(x)) & read_served(maker.files.path) for x in (line,)
    )


def test_doctor_says_how_fresh_the_map_and_the_snapshot_are(maker: kura.StoreHandle) -> None:
    assert maker.doctor()["derived"]["map"] == {"revision": None, "fresh": False}
    weave(maker.files, maker.config.prefill)
    snapshot.build(maker.files)
    derived = maker.doctor()["derived"]
    assert derived["map"]["fresh"] and derived["snapshot"]["fresh"] and derived["snapshot"]["damaged"] == []
    maker.annotate("disk-layout", keep="which bay is which")
    assert not maker.doctor()["derived"]["snapshot"]["fresh"]


def test_a_frozen_store_refuses_and_says_by_which_policy(tmp_path: Path) -> None:
    file = write_config(tmp_path)
    file.write_text(file.read_text().replace("[stores.eq]", 'write_policy = "frozen"\n[stores.eq]'))
    with pytest.raises(kura.WriteRefused) as caught:
        kura.open(file).store("maker").remember("a-b-c", "some trigger")
    assert caught.value.policy == "frozen"


def test_threads_read_while_another_writes(maker: kura.StoreHandle) -> None:
    failed: list[BaseException] = []
    stop = threading.Event()

    def read() -> None:
        try:
            while not stop.is_set():
                assert maker.recall(QUESTION).picked == ("archive-on-slow-disk",)
                maker.index()
                maker.prefill()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=read) for _ in range(3)]
    for t in threads:
        t.start()
    for i in range(6):
        maker.remember(
            f"note-{i}",
            f"remark number {i} about the {['kiln', 'glaze', 'clay', 'wheel', 'studio', 'shelf'][i]}",
            f"Text {i}.",
        )
    stop.set()
    for t in threads:
        t.join()
    assert not failed
    assert maker.recall("remark number 5 about the shelf").picked == ("note-5",)


def test_a_thinker_that_is_down_degrades_and_a_named_memory_is_recalled_all_the_same(tmp_path: Path) -> None:
    handle = kura.open(
        write_config(
            tmp_path, '[models.thinker]\nurl = "http://127.0.0.1:9/v1"\nmodel = "none"\ntimeout = 1\n'
        )
    ).store("maker")
    handle.remember("archive-on-slow-disk", "the archive lives on the slow disk in bay 3", BODY)
    assert handle.recall(QUESTION).how == "fastpath"
    handle.tiers.thinker._client._sleep = lambda _: None  # type: ignore[union-attr]
    reply = handle.recall("what do we do with things nobody has looked at for years?")
    assert reply.how == "words(thinker unreachable)" and reply.degraded and reply.warnings


def test_a_thinker_on_a_socket_answers_by_meaning(tmp_path: Path) -> None:
    with ScriptedModel(lambda _: say('["archive-on-slow-disk"]')) as model:
        handle = kura.open(
            write_config(tmp_path, f'[models.thinker]\nurl = "{model.url}"\nmodel = "small"\n')
        ).store("maker")
        handle.remember("archive-on-slow-disk", "the archive lives on the slow disk in bay 3", BODY)
        reply = handle.recall("what do we do with things nobody has looked at for years?")
    assert reply.how == "meaning" and reply.picked == ("archive-on-slow-disk",)


def test_importing_the_runtime_loads_nothing_heavy() -> None:
    code = "import sys, kura_runtime; print(sorted({m.partition('.')[0] for m in sys.modules}))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for heavy in (
        "dagster",
        "duckdb",
        "fastapi",
        "sqlalchemy",
        "numpy",
        "pyarrow",
        "pydantic",
        "httpx",
        "kura_pipeline",
    ):
        assert f"'{heavy}'" not in loaded


def test_reading_a_store_loads_no_pipeline_no_server_and_no_database(
    config: Path, maker: kura.StoreHandle
) -> None:
    code = (
        f"import sys, kura_runtime as k; h = k.open({str(config)!r}).store('maker'); h.recall({QUESTION!r}); h.index(); h.prefill(); h.doctor()\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules}))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    for heavy in ("dagster", "duckdb", "fastapi", "sqlalchemy", "starlette", "kura_pipeline"):
        assert f"'{heavy}'" not in loaded


def test_the_public_names_are_what_they_say() -> None:
    assert set(kura.__all__) <= set(dir(kura)) and kura.open.__module__ == "kura_runtime.api"
    with pytest.raises(AttributeError):
        _ = kura.nothing_of_the_kind
