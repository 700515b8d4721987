"""kura.toml as values. Every key has a type, a default and a meaning (`description`); an unknown key is an error.

docs/config.md is generated from these models, so a key without a description cannot ship.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator

WritePolicy = Literal["direct-allowed", "distiller-only", "frozen"]
Dialect = Literal["vllm", "openai", "generic"]
NAME = re.compile(r"^[a-z0-9][a-z0-9_-]{0,39}$")


class Section(BaseModel):
    """Base of every table: frozen, and strict about keys and types."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, arbitrary_types_allowed=True)


def _no_bool_for_number(value: Any) -> Any:
    """TOML knows booleans: `true` where a number belongs is a slip, not a 1."""
    if isinstance(value, bool):
        raise ValueError("a number is wanted, not a boolean")
    return value


Number = Annotated[float, BeforeValidator(_no_bool_for_number)]
Count = Annotated[int, BeforeValidator(_no_bool_for_number)]


class ServerConfig(Section):
    host: str = Field("127.0.0.1", description="address the HTTP door binds")
    port: Count = Field(8085, ge=0, le=65535, description="port of the HTTP door")
    token_env: str = Field("", description="environment variable that holds the bearer token; empty: no auth")
    allow_unauthenticated: bool = Field(
        False, description="allow binding elsewhere than loopback without a token (not advised)"
    )
    allowed_hosts: list[str] = Field(
        [],
        description="further names this server is asked by (Host header); plain addresses and localhost always are",
    )


class ModelConfig(Section):
    url: str = Field(
        description="base URL of an OpenAI-compatible endpoint, such as http://127.0.0.1:8000/v1"
    )
    model: str = Field(description="model name sent to the endpoint")
    api_key_env: str = Field(
        "", description="environment variable that holds the key; keys never stand in this file"
    )
    dialect: Dialect = Field(
        "vllm", description="which extra fields are sent: vllm (all effort dialects), openai, generic"
    )
    timeout: Number | None = Field(
        None, gt=0, description="seconds for one call; default 60 for the thinker, 3600 for brain and scribe"
    )
    max_tokens: Count = Field(4096, gt=0, description="most tokens one answer may take")
    temperature: Number = Field(0.0, ge=0, le=2, description="sampling temperature")
    effort: str = Field("none", description="reasoning effort asked for, in the endpoint's own words")
    structured: bool = Field(
        True,
        description="ask for answers that fit a JSON schema (vllm and openai; an endpoint that refuses is not asked twice)",
    )
    context_tokens: Count = Field(32768, gt=0, description="context window of the model, tokens")
    input_price: Number = Field(0.0, ge=0, description="price of a million input tokens, for `kura cost`")
    output_price: Number = Field(0.0, ge=0, description="price of a million output tokens, for `kura cost`")


class RolesConfig(Section):
    thinker: ModelConfig | None = Field(
        None, description="answers recalls; does all three jobs when it stands alone"
    )
    brain: ModelConfig | None = Field(None, description="reads whole batches; default: the thinker")
    scribe: ModelConfig | None = Field(None, description="writes and judges memories; default: the thinker")

    def role(self, name: str) -> ModelConfig | None:
        """The model of `thinker`, `brain` or `scribe`; brain and scribe fall back to the thinker."""
        return getattr(self, name) or self.thinker

    @property
    def any(self) -> bool:
        """True where at least one model is configured."""
        return any((self.thinker, self.brain, self.scribe))


class PrefillConfig(Section):
    window_tokens: Count = Field(
        131072, gt=0, description="context window of the agent that wears the map, tokens"
    )
    budget_fraction: Number = Field(
        0.05, gt=0, le=1, description="share of the window that the map should stay within"
    )
    hard_fraction: Number = Field(
        0.20, gt=0, le=1, description="share above which a stub is handed out instead of the map"
    )
    fresh_days: Count = Field(
        14, ge=0, description="a memory changed within so many days keeps its whole line"
    )
    pinned_types: list[str] = Field(
        ["feedback", "user"], description="memory types whose line is never trimmed"
    )
    trigger_tokens: Count = Field(24, ge=4, description="tokens a trigger line is trimmed to")
    adaptive_triggers: bool = Field(False, description="measure shorter cues in the shadow")
    adaptive_apply: bool = Field(False, description="let promoted shorter cues into the cloth")
    trigger_steps: list[Count] = Field([8, 12, 16, 24], description="rungs of the adaptive shadow, tokens")
    resident_mode: Literal["map", "constellation"] = Field(
        "map", description="what is handed out when the map is over its hard limit"
    )
    header: str = Field(
        "", description="own first line of the block; anything that ticks (date, clock, counter) is refused"
    )
    trail_tokens: Count = Field(200, ge=0, description="size of the Hot Trail after the map, tokens; 0: none")


class FastpathConfig(Section):
    enabled: bool = Field(True, description="try the deterministic recogniser first")
    gate: Number = Field(1.0, gt=0, description="score that the best memory must reach")
    margin: Number = Field(1.15, ge=1, description="ratio by which it must beat the second")


class ThinkerConfig(Section):
    enabled: bool = Field(
        True, description="ask the thinker when the recogniser stays silent and a model is configured"
    )
    verify: bool = Field(
        False, description="show the picked bodies once more and keep those that answer the question"
    )


class WarmConfig(Section):
    enabled: bool = Field(False, description="keep the thinker's recall prompt warm in its KV slot")
    slot: Count = Field(0, ge=0, description="slot id of the thinker's server")


class MouthConfig(Section):
    name: str = Field(
        description="name of this mouth (a llama.cpp server that speaks with the map in its prompt)"
    )
    url: str = Field(description="base URL of the llama.cpp server, without /v1")
    slot: Count = Field(0, ge=0, description="slot id")
    store: str = Field("", description="store whose map it wears; empty: every store")
    folder: str = Field("", description="its --slot-save-path, where reachable from here")


class PayForwardConfig(Section):
    mouths: list[MouthConfig] = Field(
        [], description="llama.cpp servers whose cold prefill is paid in advance"
    )


Roots = Annotated[list[str], BeforeValidator(lambda v: [v] if isinstance(v, str) else v)]


class DistillConfig(Section):
    editor: Literal["auto", "extractive", "model"] = Field(
        "auto", description="auto: the models where configured, else the embedded editor; extractive; model"
    )
    idle_min: Number = Field(10, ge=0, description="minutes of silence before a journal counts as quiet")
    flush_max_h: Number = Field(
        24, gt=0, description="hours after which even a little unread material is read"
    )
    backoff_min: Number = Field(20, ge=0, description="minutes a track rests after it found nothing to do")
    min_drink: Count = Field(6000, ge=0, description="unread characters that are worth a batch")
    chunk_chars: Count = Field(200000, ge=1000, description="characters of evidence in one batch")
    max_batches: Count = Field(8, ge=1, description="batches that one tick claims at the most")
    max_items: Count = Field(12, ge=1, description="candidates asked for in one call")
    coverage_passes: Count = Field(1, ge=0, description="further calls that ask what the first one missed")
    scribe_slots: Count = Field(1, ge=1, description="calls to the scribe side by side")
    tool_cap: Count = Field(1500, ge=200, description="characters kept of one TOOL segment (head and tail)")
    text_cap: Count = Field(4000, ge=200, description="characters kept of any other segment (head and tail)")
    yield_on_return: bool = Field(True, description="stop a running distil when the journal is written again")
    window_days: Number = Field(7, gt=0, description="nightly reads no further back than so many days")
    nightly: str = Field(
        "03:00", description="time of the nightly run in the store's time zone, HH:MM; empty: none"
    )
    keep_partitions_days: Count = Field(365, ge=1, description="days a batch stays in the partition list")
    archive: bool = Field(False, description="keep a compressed copy of every journal that was read")
    exclude: list[str] = Field([], description="globs of journal paths that are never read")
    share_journals: bool = Field(
        False, description="state that this store reads a journal root which another store reads too"
    )
    journals: dict[str, Roots] = Field(
        {}, description='journal roots by kind: KIND = "folder" or a list of folders'
    )

    @field_validator("nightly")
    @classmethod
    def _clock(cls, value: str) -> str:
        if value and not re.fullmatch(r"(?:[01]\d|2[0-3]):[0-5]\d", value):
            raise ValueError('wants a time of day such as "03:00", or "" for none')
        return value


class EmbeddingsConfig(Section):
    url: str = Field("", description="base URL of an OpenAI-compatible /embeddings endpoint")
    model: str = Field("", description="its model name")
    api_key_env: str = Field("", description="environment variable that holds the key")
    local: str = Field("", description="name of a local model that ships as a package")


class DedupConfig(Section):
    threshold: Number = Field(
        0.92, gt=0, le=1, description="cosine above which two summaries are near duplicates"
    )


class ShelfConfig(Section):
    max_memories: Count | None = Field(
        None, ge=1, description="most memories the store should hold; none: no limit"
    )
    stale_days: Count = Field(90, ge=1, description="days without access before a memory is demoted")
    archive: Literal["propose", "auto"] = Field("propose", description="how a memory leaves a full shelf")


class RulesConfig(Section):
    rules_bytes: Count = Field(13 * 1024, ge=0, description="cap of the rules channel, bytes")
    index_bytes: Count = Field(2 * 1024, ge=0, description="cap of the index channel (topic index), bytes")
    recall_bytes: Count = Field(6 * 1024, ge=0, description="cap of the recall channel, bytes")
    facts_chars: Count = Field(
        3000, ge=0, description="length of the distilled facts and lessons, characters"
    )


class PrivacyConfig(Section):
    redact: bool = Field(
        True, description="replace secrets before any model or file sees them; false is refused"
    )
    log_questions: bool = Field(
        False, description="keep the words of recall questions in the read log, not only their hash"
    )

    @field_validator("redact")
    @classmethod
    def _always(cls, value: bool) -> bool:
        if not value:
            raise ValueError("redaction cannot be turned off; leave this key out")
        return value


class PeopleConfig(Section):
    names: list[str] = Field(
        [], description="names whose decisions and sayings need a USER quote, like the user's own"
    )


class TendConfig(Section):
    enabled: bool = Field(True, description="let the sensors and `kura tick` tend this store")
    idle_min: Number | None = Field(
        None, ge=0, description="own silence for tending, minutes; none: [distill] idle_min"
    )


class LedgerConfig(Section):
    url: str = Field("", description="SQLAlchemy URL of the ledger; empty: .kura/ledger.db beside this file")


class StorageConfig(Section):
    root: str = Field(
        "",
        description="folder or s3:// URL of the steps' Parquet files; empty: .kura/storage beside this file",
    )


class BudgetConfig(Section):
    tokens_per_run: Count | None = Field(None, gt=0, description="tokens one run may spend; none: no limit")
    tokens_per_night: Count | None = Field(
        None, gt=0, description="tokens one night may spend; none: no limit"
    )
    money_per_night: Number | None = Field(
        None, gt=0, description="money one night may spend, in the prices' currency; none: no limit"
    )


PER_STORE: tuple[str, ...] = (
    "prefill", "fastpath", "thinker", "warm", "distill", "embeddings", "dedup", "shelf", "rules", "privacy", "people",
    "tend", "budget",
)  # fmt: skip


class StoreTable(Section):
    """`[stores.NAME]` as written: its own keys, and raw overrides of the shared sections."""

    path: str = Field(description="folder of the store")
    label: str = Field(
        "", description="what this memory is called in tool descriptions; empty: the store's name"
    )
    layout: Literal["kura", "topics"] = Field("kura", description="how memories lie on disk")
    charter: str = Field(
        "", description="file that says what belongs here; empty: charter.md in the store, where present"
    )
    persona: str = Field(
        "", description="path of the persona file that goes with this store: a pointer, never rendered"
    )
    write_policy: WritePolicy = Field(
        "direct-allowed", description="who may write: direct-allowed, distiller-only, frozen"
    )
    model_profile: str = Field(
        "", description="name of the [model_profiles.NAME] this store uses, and no other"
    )
    language: str = Field(
        "", description="language memories are written in (BCP 47); empty: the evidence's own"
    )
    timezone: str = Field("UTC", description="time zone of the nightly run (IANA)")
    prefill: dict[str, Any] = Field({}, description="overrides of [prefill]")
    fastpath: dict[str, Any] = Field({}, description="overrides of [fastpath]")
    thinker: dict[str, Any] = Field({}, description="overrides of [thinker]")
    warm: dict[str, Any] = Field({}, description="overrides of [warm]")
    distill: dict[str, Any] = Field({}, description="overrides of [distill], its journals included")
    embeddings: dict[str, Any] = Field({}, description="overrides of [embeddings]")
    dedup: dict[str, Any] = Field({}, description="overrides of [dedup]")
    shelf: dict[str, Any] = Field({}, description="overrides of [shelf]")
    rules: dict[str, Any] = Field({}, description="overrides of [rules]")
    privacy: dict[str, Any] = Field({}, description="overrides of [privacy]")
    people: dict[str, Any] = Field({}, description="overrides of [people]")
    tend: dict[str, Any] = Field({}, description="overrides of [tend]")
    budget: dict[str, Any] = Field({}, description="overrides of [budget]")


class FileTable(Section):
    """The whole of kura.toml as written."""

    server: ServerConfig = Field(ServerConfig(), description="the HTTP door")
    models: RolesConfig = Field(RolesConfig(), description="model endpoints by role")
    model_profiles: dict[str, RolesConfig] = Field(
        {}, description="named sets of endpoints a store can be bound to"
    )
    stores: dict[str, StoreTable] = Field({}, description="the stores, by name")
    modes: dict[str, str] = Field({}, description="agent mode → store")
    prefill: PrefillConfig = Field(PrefillConfig(), description="the resident map")
    fastpath: FastpathConfig = Field(FastpathConfig(), description="the deterministic recogniser")
    thinker: ThinkerConfig = Field(ThinkerConfig(), description="the model tier of recall")
    warm: WarmConfig = Field(WarmConfig(), description="the thinker's warm prompt")
    payforward: PayForwardConfig = Field(PayForwardConfig(), description="KV slots paid in advance")
    distill: DistillConfig = Field(DistillConfig(), description="from journals to memories")
    embeddings: EmbeddingsConfig = Field(
        EmbeddingsConfig(),
        description="for the semantic tier, which is not built yet: nothing reads these keys today",
    )
    dedup: DedupConfig = Field(DedupConfig(), description="near duplicates")
    shelf: ShelfConfig = Field(ShelfConfig(), description="capacity and staleness")
    rules: RulesConfig = Field(RulesConfig(), description="caps of the three context channels")
    privacy: PrivacyConfig = Field(PrivacyConfig(), description="what is never kept")
    people: PeopleConfig = Field(PeopleConfig(), description="people whose words need evidence")
    tend: TendConfig = Field(TendConfig(), description="unattended work")
    ledger: LedgerConfig = Field(LedgerConfig(), description="claims, calls and pours")
    storage: StorageConfig = Field(StorageConfig(), description="files between the steps")
    budget: BudgetConfig = Field(BudgetConfig(), description="what models may cost")


class StoreConfig(Section):
    """One store, resolved: paths absolute, overrides merged, its models chosen."""

    name: str
    path: Path
    label: str
    layout: Literal["kura", "topics"]
    charter: Path | None
    persona: str
    write_policy: WritePolicy
    language: str
    timezone: str
    models: RolesConfig
    prefill: PrefillConfig
    fastpath: FastpathConfig
    thinker: ThinkerConfig
    warm: WarmConfig
    distill: DistillConfig
    embeddings: EmbeddingsConfig
    dedup: DedupConfig
    shelf: ShelfConfig
    rules: RulesConfig
    privacy: PrivacyConfig
    people: PeopleConfig
    tend: TendConfig
    budget: BudgetConfig

    @property
    def journals(self) -> dict[str, list[Path]]:
        """Journal roots by kind, absolute."""
        return {kind: [Path(r) for r in roots] for kind, roots in self.distill.journals.items()}

    def charter_text(self) -> str:
        """The charter's words, or "" where there is none."""
        path = self.charter or self.path / "charter.md"
        return path.read_text(encoding="utf-8") if path.is_file() else ""


class Config(Section):
    """kura.toml, read and checked. `project` is the folder the file stands in; `.kura/` beside it holds our own state."""

    file: Path
    project: Path
    server: ServerConfig
    stores: dict[str, StoreConfig]
    modes: dict[str, str]
    payforward: PayForwardConfig
    ledger_url: str
    storage_root: str

    @property
    def home(self) -> Path:
        """`.kura/`, where the ledger, the steps' files and Dagster's own home live."""
        return self.project / ".kura"
