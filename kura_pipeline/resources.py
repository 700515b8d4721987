"""Which editor a store distils with: the models where they are configured, the embedded editor where they are not."""

from collections.abc import Callable
from dataclasses import dataclass

from kura_pipeline.distil.editor import Editor
from kura_pipeline.distil.extractive import ExtractiveEditor
from kura_pipeline.distil.llm import LlmEditor
from kura_runtime.config.model import StoreConfig
from kura_runtime.errors import ConfigError
from kura_runtime.models.budget import Budget, limits_of, prices_of
from kura_runtime.models.calls import CallLedger, Meter, RecordingRole
from kura_runtime.models.endpoint import ChatEndpoint


@dataclass(frozen=True)
class Asked:
    """On whose behalf a model is asked: the step, its batch and run, and whether recorded answers are asked anew.

    `between` runs before every call that would really be sent and while one is under way; it may stop the run where the
    human is back. `budget` is the run's; without it the step has one of its own."""

    asset: str = ""
    partition: str = ""
    run_id: str = ""
    refresh: bool = False
    between: Callable[[], None] | None = None
    budget: Budget | None = None


def uses_models(cfg: StoreConfig) -> bool:
    """Whether this store's editor is a model. Raises ConfigError where `editor = "model"` names none."""
    if cfg.distill.editor == "model" and not cfg.models.any:
        raise ConfigError(
            f'[stores.{cfg.name}] distill.editor = "model", but no model is configured; add [models.thinker] with url and model'
        )
    return cfg.distill.editor != "extractive" and cfg.models.any


def editor_for(cfg: StoreConfig, ledger: CallLedger, asked: Asked) -> Editor:
    """The store's editor. Model calls are recorded in, and replayed from, `ledger`."""
    if not uses_models(cfg):
        return ExtractiveEditor()
    budget = asked.budget or Budget(
        limits_of(cfg.budget), store=cfg.name, run=asked.run_id, prices=prices_of(cfg.models)
    )
    meter = Meter(budget=budget)
    brain, scribe = (_role(cfg, name, ledger, asked, meter) for name in ("brain", "scribe"))
    reader, writer = cfg.models.role("brain"), cfg.models.role("scribe")
    return LlmEditor(
        brain, scribe, coverage_passes=cfg.distill.coverage_passes, ask_again=asked.refresh,
        context_tokens=reader.context_tokens if reader else None,
        scribe_tokens=writer.context_tokens if writer else None,
    )  # fmt: skip


def scribe_for(cfg: StoreConfig, ledger: CallLedger, asked: Asked) -> RecordingRole | None:
    """The store's scribe by itself, for lines written about memories; None where the store distils without a model."""
    if not uses_models(cfg):
        return None
    budget = asked.budget or Budget(
        limits_of(cfg.budget), store=cfg.name, run=asked.run_id, prices=prices_of(cfg.models)
    )
    return _role(cfg, "scribe", ledger, asked, Meter(budget=budget))


def editor_version(cfg: StoreConfig) -> str:
    """The code version of the steps that the editor takes part in: it moves with prompts and rules, so that the
    interface shows what is stale after an upgrade. Nothing is asked or opened."""
    if not uses_models(cfg):
        return f"extractive-{ExtractiveEditor().version}"
    models = "+".join(m.model for name in ("brain", "scribe") if (m := cfg.models.role(name)))
    unopened = RecordingRole.__new__(
        RecordingRole
    )  # the version is a hash of the prompts: no role is asked for it
    return (
        f"llm-{LlmEditor(unopened, unopened, coverage_passes=cfg.distill.coverage_passes).version}-{models}"
    )


def _role(cfg: StoreConfig, name: str, ledger: CallLedger, asked: Asked, meter: Meter) -> RecordingRole:
    model = cfg.models.role(name)
    if model is None:
        raise ConfigError(f"[models.{name}] is missing, and there is no [models.thinker] to take its place")
    return RecordingRole(
        ChatEndpoint.of(model, name), ledger, role=name, asset=asked.asset, partition=asked.partition, run_id=asked.run_id,
        refresh=asked.refresh, meter=meter, between=asked.between,
    )  # fmt: skip
