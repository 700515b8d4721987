"""Names on the command line to editors: `extractive`, a `[model_profiles.NAME]`, or a role of the store's models."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence

from kura_pipeline.bench.writers import Writer
from kura_pipeline.distil.editor import Editor
from kura_pipeline.distil.extractive import ExtractiveEditor
from kura_pipeline.resources import Asked, editor_for
from kura_runtime.config.model import Config, FileTable, RolesConfig, StoreConfig
from kura_runtime.errors import BadInput
from kura_runtime.models.calls import MemoryCalls

_ROLES = ("scribe", "brain", "thinker")


def staff(config: Config, cfg: StoreConfig, names: Sequence[str]) -> list[Writer]:
    """One writer a name, each with an empty record of calls. Raises BadInput for a name that is nothing, with those that
    would be something."""
    profiles = _profiles(config)
    known = ["extractive", *profiles, *(r for r in _ROLES if cfg.models.role(r))]
    writers: list[Writer] = []
    for name in dict.fromkeys(n.strip() for n in names if n.strip()):
        if name not in known:
            raise BadInput(
                "--writers", f'"{name}" is no writer here; known: {", ".join(dict.fromkeys(known))}'
            )
        calls = MemoryCalls()
        if name == "extractive":
            writers.append(Writer(name, ExtractiveEditor(), calls))
            continue
        models = profiles[name] if name in profiles else RolesConfig(thinker=cfg.models.role(name))
        writers.append(Writer(name, _models(cfg, models, calls), calls))
    if not writers:
        raise BadInput(
            "--writers", f"name at least one of {', '.join(dict.fromkeys(known))}, separated by commas"
        )
    return writers


def picker(cfg: StoreConfig, name: str) -> Editor:
    """The editor that picks from a journal: `extractive`, or `model` (the store's own)."""
    if name == "extractive":
        return ExtractiveEditor()
    if name != "model":
        raise BadInput("--editor", f'"{name}": extractive or model')
    return _models(cfg, cfg.models, MemoryCalls())


def _models(cfg: StoreConfig, models: RolesConfig, calls: MemoryCalls) -> Editor:
    """The model editor on these endpoints."""
    scribe = models.role("scribe") or models.brain
    models = models.model_copy(update={"scribe": scribe, "brain": models.role("brain") or scribe})
    if scribe is None:
        raise BadInput(
            "--editor",
            f"no model is configured for store {cfg.name}; add [models.thinker] with url and model",
        )
    distill = cfg.distill.model_copy(update={"editor": "model"})
    return editor_for(cfg.model_copy(update={"models": models, "distill": distill}), calls, Asked("bench"))


def _profiles(config: Config) -> dict[str, RolesConfig]:
    # the loaded configuration keeps only the profiles that stores are bound to
    raw = tomllib.loads(config.file.read_text(encoding="utf-8"))
    return FileTable.model_validate(raw).model_profiles
