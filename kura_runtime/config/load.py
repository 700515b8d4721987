"""Read kura.toml: every fault is one line that names the file, the key, the value and the way out."""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar, get_args
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ValidationError

from kura_runtime.config.model import NAME, PER_STORE, Config, FileTable, RolesConfig, StoreConfig, StoreTable
from kura_runtime.errors import ConfigError, UnknownStore

CONFIG_ENV = "KURA_CONFIG"

M = TypeVar("M", bound=BaseModel)


def config_path(path: str | Path | None = None) -> Path:
    """The file to read: `path`, else $KURA_CONFIG, else ./kura.toml, else ~/.config/kura/kura.toml.

    Raises ConfigError where none of them is there.
    """
    named = path or os.environ.get(CONFIG_ENV)
    if named:
        chosen = Path(named).expanduser()
        if not chosen.is_file():
            if chosen.is_dir():
                raise ConfigError(
                    f"{chosen}: is a folder; name the file in it, such as {chosen / 'kura.toml'}"
                )
            raise ConfigError(
                f"{chosen}: no such file; create it with `kura init NAME --path DIR -c {chosen}`"
            )
        return chosen.absolute()
    tried = [Path("kura.toml"), Path("~/.config/kura/kura.toml").expanduser()]
    for candidate in tried:
        if candidate.is_file():
            return candidate.absolute()
    raise ConfigError(
        f"no configuration: none of ${CONFIG_ENV}, {', '.join(map(str, tried))} is there; "
        "run `kura init NAME --path DIR` to create ./kura.toml"
    )


def load(path: str | Path | None = None) -> Config:
    """Read, check and resolve kura.toml. Raises ConfigError with every fault found in its keys, one a line."""
    file = config_path(path)
    try:
        raw = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{file}: not valid TOML: {error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8 at byte {error.start}; save the file as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read: {error.strerror}") from None
    return resolve(raw, file)


def resolve(raw: dict[str, Any], file: Path) -> Config:
    """Check the parsed table `raw` as the content of `file` and resolve every store."""
    table = _validate(FileTable, raw, file, ())
    project = file.parent
    stores: dict[str, StoreConfig] = {}
    for name, entry in table.stores.items():
        if not NAME.match(name):
            raise ConfigError(
                f'{file}: [stores.{name}]: "{name}" is no store name; use lower-case letters, digits, "-" and "_" (at most 40)'
            )
        stores[name] = _store(name, entry, table, raw, file)
    _refuse_same_dagster_name(stores, file)
    _refuse_bad_modes(table.modes, stores, file)
    _refuse_nested_stores(stores, file)
    _refuse_overlapping_journals(stores, file)
    for i, mouth in enumerate(table.payforward.mouths):
        if mouth.store and mouth.store not in stores:
            raise ConfigError(
                f'{file}: [[payforward.mouths]] number {i + 1}: store "{mouth.store}" is not among [stores.*]{_near(mouth.store, stores)}'
            )
    home = project / ".kura"
    return Config(
        file=file, project=project, server=table.server, stores=stores, modes=dict(table.modes), payforward=table.payforward,
        ledger_url=table.ledger.url or f"sqlite:///{home / 'ledger.db'}",
        storage_root=_place(table.storage.root, project) if table.storage.root else str(home / "storage"),
    )  # fmt: skip


def select(config: Config, name: str | None) -> StoreConfig:
    """The store of this store or mode name. None is allowed only where exactly one store exists.

    Raises UnknownStore for any other name: there is no default to fall to.
    """
    if name is None and len(config.stores) == 1:
        return next(iter(config.stores.values()))
    if not name:
        raise UnknownStore("", sorted(config.stores), config.file)
    if name in config.stores:
        return config.stores[name]
    if name in config.modes:
        return config.stores[config.modes[name]]
    raise UnknownStore(name, sorted({*config.stores, *config.modes}), config.file)


# --- one store ---------------------------------------------------------------------------------------------------------


def _store(name: str, entry: StoreTable, table: FileTable, raw: dict[str, Any], file: Path) -> StoreConfig:
    project = file.parent
    sections: dict[str, Any] = {}
    for section in PER_STORE:
        shared = dict(raw.get(section, {}))
        own = getattr(entry, section)
        merged = {**shared, **own}
        if section == "distill" and "journals" in own:
            merged["journals"] = own["journals"]
        model = type(getattr(table, section))
        checked = _validate(model, merged, file, ("stores", name, section) if own else (section,))
        sections[section] = checked
    distill = sections["distill"]
    journals = {kind: [_place(root, project) for root in roots] for kind, roots in distill.journals.items()}
    sections["distill"] = distill.model_copy(update={"journals": journals})
    try:
        ZoneInfo(entry.timezone)
    except (ZoneInfoNotFoundError, ValueError):
        raise ConfigError(
            f'{file}: [stores.{name}] timezone = "{entry.timezone}": no such time zone; use an IANA name such as "Europe/Berlin"'
        ) from None
    if not entry.path.strip():
        raise ConfigError(f'{file}: [stores.{name}] path = "": name the folder of the store')
    return StoreConfig(
        name=name, path=Path(_place(entry.path, project)), label=entry.label or name, layout=entry.layout,
        charter=Path(_place(entry.charter, project)) if entry.charter else None, persona=entry.persona,
        write_policy=entry.write_policy, language=entry.language, timezone=entry.timezone,
        models=_models(name, entry, table, file), **sections,
    )  # fmt: skip


def _models(name: str, entry: StoreTable, table: FileTable, file: Path) -> RolesConfig:
    if not entry.model_profile:
        return table.models
    if entry.model_profile not in table.model_profiles:
        raise ConfigError(
            f'{file}: [stores.{name}] model_profile = "{entry.model_profile}": no [model_profiles.{entry.model_profile}]'
            f"{_near(entry.model_profile, table.model_profiles)}"
        )
    return table.model_profiles[entry.model_profile]


def _place(text: str, project: Path) -> str:
    """An absolute path: `~` and $VARIABLES expanded, relative to kura.toml's folder; a URL stays as it is."""
    expanded = os.path.expandvars(text)
    if "://" in expanded:
        return expanded
    return os.path.normpath(project / Path(expanded).expanduser())


# --- what may not overlap -----------------------------------------------------------------------------------------------


def _refuse_same_dagster_name(stores: dict[str, StoreConfig], file: Path) -> None:
    seen: dict[str, str] = {}
    for name in stores:
        plain = name.replace("-", "_")
        if plain in seen:
            raise ConfigError(
                f'{file}: [stores.{name}] and [stores.{seen[plain]}] differ only in "-" and "_"; rename one of them'
            )
        seen[plain] = name


def _refuse_bad_modes(modes: dict[str, str], stores: dict[str, StoreConfig], file: Path) -> None:
    for mode, store in modes.items():
        if store not in stores:
            raise ConfigError(
                f'{file}: [modes] {mode} = "{store}": no [stores.{store}]{_near(store, stores)}'
            )
        if mode in stores and mode != store:
            raise ConfigError(
                f'{file}: [modes] {mode} = "{store}": "{mode}" is also the name of a store; rename the mode or point it at that store'
            )


def _refuse_nested_stores(stores: dict[str, StoreConfig], file: Path) -> None:
    real = {name: _real(s.path) for name, s in stores.items()}
    names = list(real)
    for i, one in enumerate(names):
        for other in names[i + 1 :]:
            a, b = real[one], real[other]
            if a == b or _same_file(a, b):
                raise ConfigError(
                    f"{file}: [stores.{one}] and [stores.{other}] are the same folder ({a}); give each store its own"
                )
            for inner, outer, x, y in ((one, other, a, b), (other, one, b, a)):
                if x.is_relative_to(y):
                    raise ConfigError(
                        f"{file}: [stores.{inner}] path {x} lies inside [stores.{outer}] ({y}); stores share nothing, move one out"
                    )


def _refuse_overlapping_journals(stores: dict[str, StoreConfig], file: Path) -> None:
    roots = [
        (name, kind, _real(root))
        for name, s in stores.items()
        for kind, rs in s.journals.items()
        for root in rs
    ]
    for name, kind, root in roots:
        for other, s in stores.items():
            where = _real(s.path)
            if (
                root == where
                or root.is_relative_to(where)
                or where.is_relative_to(root)
                or _same_file(root, where)
            ):
                raise ConfigError(
                    f"{file}: [stores.{name}] journal root {kind} = {root} overlaps the store [stores.{other}] ({where}); "
                    "a store is never a journal, point one of them elsewhere"
                )
    for i, (name, kind, root) in enumerate(roots):
        for other, other_kind, other_root in roots[i + 1 :]:
            if not (
                root == other_root
                or root.is_relative_to(other_root)
                or other_root.is_relative_to(root)
                or _same_file(root, other_root)
            ):
                continue
            if name == other:
                raise ConfigError(
                    f"{file}: [stores.{name}.distill.journals] {kind} = {root} and {other_kind} = {other_root} overlap; "
                    "every event would be read twice, keep one of them"
                )
            if not (stores[name].distill.share_journals and stores[other].distill.share_journals):
                raise ConfigError(
                    f"{file}: [stores.{name}] and [stores.{other}] both read the journal root {root}; give each its own, "
                    f"or state it with share_journals = true in [stores.{name}.distill] and [stores.{other}.distill]"
                )


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _same_file(a: Path, b: Path) -> bool:
    try:
        return a.samefile(b)
    except OSError:
        return False


# --- pydantic's errors in plain words ----------------------------------------------------------------------------------


def _validate(model: type[M], raw: Any, file: Path, where: tuple[str, ...]) -> M:
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        lines = [_explain(model, e, file, where) for e in error.errors()]
        raise ConfigError("\n".join(dict.fromkeys(lines))) from None


def _explain(model: type[BaseModel], error: Any, file: Path, where: tuple[str, ...]) -> str:
    loc = [str(p) for p in (*where, *error["loc"])]
    table, key = loc[:-1], loc[-1] if loc else ""
    head = f"{file}: [{'.'.join(table)}] " if table else f"{file}: "
    kind, value = error["type"], error.get("input")
    if kind == "extra_forbidden":
        known = _keys_at(model, [str(p) for p in error["loc"]][:-1])
        what = "unknown table" if isinstance(value, dict) else "unknown key"
        return f'{head}{what} "{key}"{_near(key, known) or "; known: " + ", ".join(sorted(known))}'
    if kind == "missing":
        return f'{head}"{key}" is missing; add it'
    message = error["msg"].removeprefix("Value error, ")
    message = message[:1].lower() + message[1:]
    return f"{head}{key} = {_show(value)}: {message}"


def _show(value: Any) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else text[:77] + "…"


def _keys_at(model: type[BaseModel], loc: list[str]) -> set[str]:
    """The keys that the table at `loc` below `model` knows."""
    here: Any = model
    for part in loc:
        if isinstance(here, type) and issubclass(here, BaseModel):
            field = here.model_fields.get(part)
            here = field.annotation if field else None
        else:  # the key of a dict, the index of a list, a union: step into what it holds
            here = _model_in(here)
        if here is None:
            return set()
    here = _model_in(here)
    return set(here.model_fields) if isinstance(here, type) and issubclass(here, BaseModel) else set()


def _model_in(annotation: Any) -> Any:
    """The model class inside an annotation such as `X | None`, `dict[str, X]` or `list[X]`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if isinstance(annotation, UnionType) or get_args(annotation):
        for arg in get_args(annotation):
            found = _model_in(arg)
            if found is not None:
                return found
    return None


def _near(word: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1, cutoff=0.5)
    return f'; did you mean "{close[0]}"?' if close else ""
