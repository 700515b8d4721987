"""kura.toml is refused at load, with file, key, value and the way out."""

from pathlib import Path

import pytest

from kura_runtime.config.load import load, select
from kura_runtime.errors import ConfigError, UnknownStore


def refused(folder: Path, text: str) -> str:
    file = folder / "kura.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        load(file)
    message = str(caught.value)
    assert str(file) in message and caught.value.exit_code == 64
    return message


ONE = '[stores.eq]\npath = "eq"\n'


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (ONE + 'write_polcy = "frozen"\n', ["[stores.eq]", "write_polcy", 'did you mean "write_policy"?']),
        (ONE + "[prefil]\nx = 1\n", ["prefil", 'did you mean "prefill"?']),
        (
            ONE + "[stores.eq.distill]\nidle_minn = 3\n",
            ["[stores.eq.distill]", "idle_minn", 'did you mean "idle_min"?'],
        ),
        (ONE + '[distill]\nidle_min = "3"\n', ["[distill]", 'idle_min = "3"', "number"]),
        (ONE + "[distill]\nidle_min = true\n", ["[distill]", "idle_min = True", "not a boolean"]),
        (ONE + "[distill]\nchunk_chars = 10\n", ["[distill]", "chunk_chars = 10", "1000"]),
        (ONE + 'write_policy = "frosen"\n', ["[stores.eq]", '"frosen"', "'frozen'"]),
        (ONE + 'timezone = "Mars/Base"\n', ["timezone", '"Mars/Base"', "IANA"]),
        (ONE + '[distill]\nnightly = "3 am"\n', ["nightly", '"3 am"', '"03:00"']),
        (ONE + "[privacy]\nredact = false\n", ["redact", "cannot be turned off"]),
        (ONE + 'model_profile = "big"\n', ["model_profile", '"big"', "no [model_profiles.big]"]),
        (ONE + '[models.thinker]\nurl = "http://x"\n', ["[models.thinker]", '"model" is missing']),
        (ONE + '[stores.b]\npath = "eq"\n', ["[stores.eq]", "[stores.b]", "same folder"]),
        (ONE + '[stores.b]\npath = "eq/inner"\n', ["[stores.b]", "lies inside [stores.eq]"]),
        (ONE + '[stores."a b"]\npath = "c"\n', ["[stores.a b]", "no store name"]),
        (ONE + '[stores.e-q]\npath = "c"\n[stores.e_q]\npath = "d"\n', ["differ only in"]),
        (ONE + '[modes]\ncalm = "ek"\n', ["[modes]", 'calm = "ek"', 'did you mean "eq"?']),
        (ONE + '[stores.b]\npath = "b"\n[modes]\neq = "b"\n', ["[modes]", "also the name of a store"]),
        (ONE + '[distill.journals]\ntext = "."\n', ["[stores.eq]", "journal root", "overlaps the store"]),
        (ONE + '[distill.journals]\ntext = "eq/notes"\n', ["overlaps the store"]),
        (ONE + '[distill.journals]\ntext = "n"\npi = "n/deeper"\n', ["overlap", "read twice"]),
        (
            ONE + '[stores.b]\npath = "b"\n[distill.journals]\ntext = "n"\n',
            ["both read the journal root", "share_journals"],
        ),
        (ONE + '[[payforward.mouths]]\nname = "m"\nurl = "u"\nstore = "ek"\n', ["mouths", '"ek"']),
        ("[stores.eq\n", ["not valid TOML", "line 1"]),
    ],
)
def test_a_fault_names_file_key_value_and_the_way_out(tmp_path: Path, text: str, parts: list[str]) -> None:
    message = refused(tmp_path, text)
    for part in parts:
        assert part in message


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    message = refused(tmp_path, ONE + 'lable = "x"\n[distill]\nidle_min = "3"\n[serverr]\n')
    assert len(message.splitlines()) == 3


def test_a_store_behind_a_symlink_is_the_same_store(tmp_path: Path) -> None:
    (tmp_path / "eq").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "eq")
    assert "same folder" in refused(tmp_path, ONE + '[stores.b]\npath = "alias"\n')


def test_a_journal_root_behind_a_symlink_to_a_store_is_refused(tmp_path: Path) -> None:
    (tmp_path / "eq").mkdir()
    (tmp_path / "alias").symlink_to(tmp_path / "eq")
    assert "overlaps the store" in refused(tmp_path, ONE + '[distill.journals]\ntext = "alias"\n')


def test_shared_journals_are_allowed_where_both_stores_state_it(tmp_path: Path) -> None:
    (tmp_path / "kura.toml").write_text(
        ONE + '[stores.b]\npath = "b"\n[distill]\nshare_journals = true\n[distill.journals]\ntext = "n"\n',
        encoding="utf-8",
    )
    assert set(load(tmp_path / "kura.toml").stores) == {"eq", "b"}


def test_overrides_of_one_store_leave_the_others_alone(tmp_path: Path) -> None:
    (tmp_path / "kura.toml").write_text(
        ONE
        + "[stores.eq.prefill]\nfresh_days = 3\n[stores.b]\npath = 'b'\n[prefill]\nfresh_days = 5\ntrigger_tokens = 30\n",
        encoding="utf-8",
    )
    stores = load(tmp_path / "kura.toml").stores
    assert (stores["eq"].prefill.fresh_days, stores["eq"].prefill.trigger_tokens) == (3, 30)
    assert stores["b"].prefill.fresh_days == 5


def test_paths_are_relative_to_the_file_and_the_home_is_beside_it(tmp_path: Path) -> None:
    (tmp_path / "kura.toml").write_text(ONE + '[distill.journals]\nclaude = ["a", "b"]\n', encoding="utf-8")
    config = load(tmp_path / "kura.toml")
    assert config.stores["eq"].path == tmp_path / "eq"
    assert config.stores["eq"].journals == {"claude": [tmp_path / "a", tmp_path / "b"]}
    assert config.ledger_url == f"sqlite:///{tmp_path / '.kura' / 'ledger.db'}"


def test_a_model_profile_binds_a_store_to_its_own_endpoints_only(tmp_path: Path) -> None:
    (tmp_path / "kura.toml").write_text(
        ONE
        + 'model_profile = "own"\n[models.thinker]\nurl = "http://a"\nmodel = "a"\n[models.brain]\nurl = "http://b"\nmodel = "b"\n'
        + '[model_profiles.own.thinker]\nurl = "http://c"\nmodel = "c"\n',
        encoding="utf-8",
    )
    models = load(tmp_path / "kura.toml").stores["eq"].models
    brain = models.role("brain")
    assert brain is not None and brain.model == "c"


def test_an_unknown_store_or_mode_never_falls_to_a_default(tmp_path: Path) -> None:
    (tmp_path / "kura.toml").write_text(ONE + '[modes]\ncalm = "eq"\n', encoding="utf-8")
    config = load(tmp_path / "kura.toml")
    assert select(config, "calm").name == "eq"
    assert select(config, None).name == "eq"  # the only one
    with pytest.raises(UnknownStore, match="eqq"):
        select(config, "eqq")


def test_two_stores_and_no_name_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "kura.toml").write_text(ONE + '[stores.b]\npath = "b"\n', encoding="utf-8")
    with pytest.raises(UnknownStore):
        select(load(tmp_path / "kura.toml"), None)


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="kura init"):
        load(tmp_path / "nowhere.toml")


def test_a_file_that_is_not_utf8_names_the_byte(tmp_path: Path) -> None:
    (tmp_path / "kura.toml").write_bytes(b"[stores.eq]\npath = '\xff'\n")
    with pytest.raises(ConfigError, match="not UTF-8 at byte 20"):
        load(tmp_path / "kura.toml")


def test_the_shipped_example_loads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    config = load(Path(__file__).resolve().parents[1] / "kura.example.toml")
    assert set(config.stores) == {"maker", "eq"} and config.modes == {"build": "maker", "calm": "eq"}
