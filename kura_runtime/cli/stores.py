"""init, stores, doctor: make a store, list them, look after them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import tomlkit
import typer
from tomlkit.exceptions import TOMLKitError

from kura_runtime.cli.checkups import with_checkups
from kura_runtime.cli.options import (
    ConfigOption,
    JsonOption,
    StoreOption,
    chosen_stores,
    no_store,
    print_json,
    say,
    table,
)
from kura_runtime.config.load import CONFIG_ENV, load, resolve
from kura_runtime.config.model import NAME
from kura_runtime.errors import BadInput, ConfigError

if TYPE_CHECKING:
    from kura_runtime.config.model import StoreConfig


def register(app: typer.Typer) -> None:
    """Add the store commands."""
    app.command()(init)
    app.command("stores")(list_stores)
    app.command()(doctor)


def init(
    name: Annotated[str, typer.Argument(help="name of the store: lower-case letters, digits, - and _")],
    path: Annotated[
        Path | None,
        typer.Option("--path", help="folder of the store; may be left out where kura.toml names the store"),
    ] = None,
    layout: Annotated[str, typer.Option(help="kura or topics")] = "kura",
    journals: Annotated[
        list[str] | None,
        typer.Option("--journals", metavar="KIND=ROOT", help="a journal root; may be given several times"),
    ] = None,
    config: ConfigOption = None,
    json: JsonOption = False,
) -> int:
    """Create a store and add it to kura.toml; comments and layout of the file are kept."""
    from kura_runtime.store.store import Store

    if not NAME.match(name):
        raise BadInput("NAME", f'"{name}": use lower-case letters, digits, "-" and "_" (at most 40)')
    file = Path(config or os.environ.get(CONFIG_ENV) or "kura.toml").expanduser().absolute()
    document = _read(file)
    stores = document.setdefault("stores", tomlkit.table(is_super_table=True))
    if name in stores:
        return _found_named(document, file, name, path, bool(journals), json)
    if path is None:
        raise BadInput("--path", f"missing: {file} does not name a store {name} yet, so say where it goes")
    entry = tomlkit.table()
    entry["path"] = str(path.expanduser().absolute())
    if layout != "kura":
        entry["layout"] = layout
    roots = _roots(journals or [])
    if roots:
        table_ = tomlkit.table()
        for kind, folders in roots.items():
            table_[kind] = folders[0] if len(folders) == 1 else folders
        distill = tomlkit.table(is_super_table=True)
        distill["journals"] = table_
        entry["distill"] = distill
    stores[name] = entry
    resolved = resolve(document.unwrap(), file)  # refuse before anything is written
    missing = [str(r) for rs in resolved.stores[name].journals.values() for r in rs if not r.is_dir()]
    Store.create(resolved.stores[name].path, name=name, layout=layout)
    file.parent.mkdir(parents=True, exist_ok=True)
    _replace(file, tomlkit.dumps(document))
    result = {
        "store": name,
        "path": str(resolved.stores[name].path),
        "config": str(file),
        "missing_roots": missing,
    }
    if json:
        print_json(result)
        return 0
    say(f"created the store {name} in {result['path']} and added it to {file}")
    for root in missing:
        say(f"note: the journal root {root} is not there (yet)")
    say(
        f"next: kura run -s {name}"
        if roots
        else f"next: name its journals under [stores.{name}.distill.journals] in {file}"
    )
    return 0


def _found_named(
    document: tomlkit.TOMLDocument, file: Path, name: str, path: Path | None, journals: bool, json: bool
) -> int:
    """Make the folder of a store that kura.toml names already; the file stays as it is. Only where there is none."""
    from kura_runtime.store.store import Store
    from kura_runtime.store.tending import holds_store

    cfg = resolve(document.unwrap(), file).stores[name]
    if journals or (path is not None and path.expanduser().absolute() != cfg.path):
        raise ConfigError(
            f"{file}: [stores.{name}] is there already, with path {cfg.path}; edit it, or choose another name"
        )
    if holds_store(cfg.path):
        raise ConfigError(f"{cfg.path}: the store {name} is there already; feed it with `kura run -s {name}`")
    Store.create(cfg.path, name=name, layout=cfg.layout)
    if json:
        print_json({"store": name, "path": str(cfg.path), "config": str(file), "missing_roots": []})
    else:
        say(f"created the store {name} in {cfg.path}, as {file} says\nnext: kura run -s {name}")
    return 0


def list_stores(config: ConfigOption = None, json: JsonOption = False) -> int:
    """List the stores and modes of kura.toml."""
    from kura_runtime.api import Kura

    loaded = load(config)
    told = Kura(loaded).describe()
    rows: list[dict[str, Any]] = told["stores"]
    if json:
        print_json(told)
    elif rows:
        table(("store", "memories", "policy", "path", "modes"),
              [(r["store"], r["memories"] if r["memories"] is not None else r["state"], r["write_policy"], r["path"], ", ".join(r["modes"])) for r in rows])  # fmt: skip
    else:
        say(f"{loaded.file} names no store yet; run `kura init NAME --path DIR`")
    return 0 if rows else 2


def doctor(
    all_stores: Annotated[bool, typer.Option("--all", help="every store of kura.toml")] = False,
    config: ConfigOption = None,
    store: StoreOption = None,
    json: JsonOption = False,
) -> int:
    """Examine the health of a store: 0 healthy, 1 something to act on."""
    from kura_runtime.api import Kura

    loaded = load(config)
    chosen = list(loaded.stores.values()) if all_stores else chosen_stores(loaded, store)
    if not chosen:
        return no_store(loaded, json)
    kura = Kura(loaded)
    reports = [
        with_checkups(_with_batches(kura.store(s.name).doctor(), loaded.ledger_url, s), loaded, s)
        for s in chosen
    ]
    if json:
        print_json(reports if all_stores else reports[0] if len(reports) == 1 else reports)
    else:
        for report in reports:
            say(f"{report['store']}: {'healthy' if report['healthy'] else 'something to act on'}")
            for name, value in report.get("counts", {}).items():
                say(f"  {name}: {value}")
            for finding in report.get("findings", []):
                say(f"  ! {finding if isinstance(finding, str) else finding.get('message', finding)}")
    return 0 if all(r["healthy"] for r in reports) else 1


def _with_batches(report: dict[str, Any], ledger_url: str, cfg: StoreConfig) -> dict[str, Any]:
    """The report with the store's batches: how many wait, and which are parked; and with its budget, where it has one. A
    parked batch is something to act on; one that a limit stopped is only said: the limit is the operator's own."""
    store = cfg.name
    if ledger_url.startswith("sqlite:///") and not Path(ledger_url.removeprefix("sqlite:///")).exists():
        return report  # nothing was ever claimed here
    from contextlib import closing

    from kura_runtime.cli.spending import budget_report
    from kura_runtime.ledger.ledger import Ledger

    with closing(Ledger.open(ledger_url)) as ledger:
        waiting, parked = len(ledger.claims.open(store)), ledger.claims.of_store(store, ("parked",))
        budget, stopped = budget_report(cfg, ledger, datetime.now(UTC))
    findings = [
        {"kind": "parked-batch", "where": p.batch_id,
         "message": f"batch {p.batch_id} of {p.journal_key} is parked: {p.last_error}; `kura run -s {store} --retry-parked` tries it again"}
        for p in parked
    ]  # fmt: skip
    return {
        **report, "healthy": report["healthy"] and not parked,
        "findings": [*report["findings"], *findings, *stopped], "budget": budget,
        "batches": {"open": waiting, "parked": [p.batch_id for p in parked]},
    }  # fmt: skip


def _read(file: Path) -> tomlkit.TOMLDocument:
    if not file.exists():
        return tomlkit.document()
    try:
        return tomlkit.parse(file.read_text(encoding="utf-8"))
    except TOMLKitError as error:
        raise ConfigError(f"{file}: not valid TOML: {error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None


def _roots(journals: list[str]) -> dict[str, list[str]]:
    roots: dict[str, list[str]] = {}
    known = sorted(entry.name for entry in entry_points(group="kura.journals"))
    for item in journals:
        kind, sep, root = item.partition("=")
        if not sep or not kind.strip() or not root.strip():
            raise BadInput("--journals", f'"{item}": wants KIND=ROOT, such as claude=~/.claude/projects')
        if known and kind.strip() not in known:
            raise BadInput(
                "--journals", f'"{item}": no kind of journal "{kind.strip()}"; known: {", ".join(known)}'
            )
        roots.setdefault(kind.strip(), []).append(str(Path(root.strip()).expanduser().absolute()))
    return roots


def _replace(file: Path, text: str) -> None:
    """Write beside the file, then rename: a crash leaves the old file or the new one."""
    beside = file.with_name(file.name + ".new")
    with beside.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    beside.replace(file)
