"""One store: a folder of plain text, and the small verbs by which everything else reads and changes it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kura_runtime.domain.draft import Draft, JudgeVerdict
from kura_runtime.domain.manifest import Manifest
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import ConfigError, StoreDamaged
from kura_runtime.gate.attribution import People
from kura_runtime.store import gatekey, history, manifests, opening, rows
from kura_runtime.store.change import Change
from kura_runtime.store.containment import Stamp, own_folder
from kura_runtime.store.layouts.base import Page
from kura_runtime.store.locking import WAIT_S, lock_of
from kura_runtime.store.policy import Door, WritePolicy, allow, check_policy
from kura_runtime.store.reading import Index, Reader
from kura_runtime.store.transaction import Journal
from kura_runtime.store.writegate import THRESHOLD

if TYPE_CHECKING:
    from kura_runtime.store.direct import Written
    from kura_runtime.store.doctor import DoctorReport
    from kura_runtime.store.drafts import StagedDraft
    from kura_runtime.store.history import Entry
    from kura_runtime.store.importing import Imported
    from kura_runtime.store.looking import Look
    from kura_runtime.store.pour import Floor, Poured
    from kura_runtime.store.proposals import Keep
    from kura_runtime.store.why import Why

log = logging.getLogger(__name__)


class Store:
    """A store, opened. Opening and reading write nothing; every change asks the policy, holds the lock, and is one
    transaction. Safe between threads; several processes may open the same folder."""

    def __init__(
        self,
        path: Path,
        *,
        name: str,
        policy: WritePolicy = "direct-allowed",
        layout: str | None = None,
        people: People | None = None,
        dedup_threshold: float = THRESHOLD,
        max_memories: int | None = None,
        clock: Callable[[], datetime] | None = None,
        floor: Floor | None = None,
    ) -> None:
        check_policy(policy)
        self.name, self.policy = name, policy
        self.path = path.resolve()  # once: a link swapped in later leads nowhere
        self.layout = opening.layout_of(self.path, layout)
        self.people = people or People(())
        self.dedup_threshold, self.max_memories = dedup_threshold, max_memories
        self.clock = clock or (lambda: datetime.now(UTC))
        self.journal = Journal(self.path, self.layout.places.durable)
        self._reader = Reader(self.path, self.layout, name)
        self._floor = floor
        self.staged_cache: dict[Path, tuple[Stamp, StagedDraft]] = {}
        self._poured = rows.RowsByKey(self.path / self.durable("poured.jsonl"), "draft")

    @classmethod
    def create(
        cls,
        path: Path | str,
        *,
        name: str,
        layout: str = "kura",
        policy: WritePolicy = "direct-allowed",
        **options: Any,
    ) -> Store:
        """Make a store, or adopt one that is there. A folder with other things in it is refused (BadInput), so that a
        mistyped path litters nobody's home. Raises StoreUnwritable. `options` as in `open`."""
        check_policy(policy)
        opening.found(Path(path), name, layout)
        return cls.open(path, name=name, policy=policy, layout=layout, **options)

    @classmethod
    def open(
        cls,
        path: Path | str,
        *,
        name: str,
        policy: WritePolicy = "direct-allowed",
        layout: str | None = None,
        **options: Any,
    ) -> Store:
        """Open the store in a folder. Options: `people`, `dedup_threshold`, `max_memories`, `clock`, `floor` (for tests).
        Raises ConfigError where there is no such folder or it was written by a newer version."""
        folder = Path(path).expanduser()
        if not folder.is_dir():
            raise ConfigError(
                f"{folder}: there is no store here; make one with `kura init {name} --path {folder}`"
            )
        return cls(folder, name=name, policy=policy, layout=layout, **options)

    # -- reading -----------------------------------------------------------------------------------------------------------

    @property
    def revision(self) -> int:
        """How often the store was changed through its doors."""
        return self.journal.revision

    def slugs(self) -> frozenset[str]:
        """Every slug the store holds; the archive's are in `archived()`."""
        return self._reader.slugs()

    def archived(self) -> frozenset[str]:
        """The slugs in the archive."""
        return self._reader.archived()

    def holds(self, slug: str) -> bool:
        """Is this exactly the slug of a memory outside the archive?"""
        return self._reader.holds(slug)

    def memories(self) -> list[Memory]:
        """All memories outside the archive, by slug. A page that cannot be read is left out and logged; doctor names it."""
        return self._reader.memories()

    def get(self, slug: str) -> Memory:
        """One memory by its exact slug, archived ones too. Raises UnknownMemory, StoreDamaged (file and line)."""
        return self._reader.page(slug).memory

    def page(self, slug: str) -> Page:
        """`get`, with what on the page could not be understood."""
        return self._reader.page(slug)

    def index(self) -> Index:
        """The index, in its own order; a memory without a line is listed at the end from its file."""
        return self._reader.index()

    def heading(self, slug: str) -> str:
        """The heading (namespace) of the index a memory stands under; "" for none."""
        return self._reader.heading(slug)

    def look(self) -> Look:
        """The stamps of all pages now; two looks say what changed between them, by hand or through a door."""
        return self._reader.look()

    def reread(self, look: Look, slug: str) -> Memory | None:
        """One memory as a look found it; None where there is none. Raises StoreDamaged, FileNotFoundError."""
        return self._reader.reread(look, slug)

    @property
    def reader(self) -> Reader:
        """For doctor and the snapshot: everything at once, damage included."""
        return self._reader

    # -- evidence and drafts ---------------------------------------------------------------------------------------------

    def write_manifest(self, manifest: Manifest) -> str:
        """Write an evidence manifest; returns its digest (hex). The same manifest is the same file."""
        return manifests.write(self.path / self.layout.places.evidence, manifest)

    def manifest(self, digest: str) -> Manifest:
        """Read a manifest, re-hashed. Raises StoreDamaged where it is missing, malformed or tampered with."""
        return manifests.read(self.path / self.layout.places.evidence, digest)

    def stage(self, draft: Draft) -> Path:
        """Sign a draft and lay it into the workshop; returns its file. The same draft is the same bytes."""
        from kura_runtime.store import pour

        return pour.stage(self, draft)

    def drafts(self) -> list[StagedDraft]:
        """The drafts that wait for the judge, by file name. One without a valid mark is moved to the quarantine."""
        from kura_runtime.store import pour

        return pour.staged(self)

    def discard(self, digest: str, reason: str) -> bool:
        """Take a waiting draft (by digest) out, with a line in the dropped list. False where none has this digest."""
        for staged in self.drafts():
            if staged.digest == digest:
                s = staged.draft
                self.add_dropped([
                    {"stage": "draft", "reason": reason, "topic": s.surface.title, "note": s.surface.trigger, "batch": s.batch_id,
                     "slug": s.extends or s.surface.slug, "draft": digest},
                ])  # fmt: skip
                staged.path.unlink(missing_ok=True)
                return True
        return False

    def quarantine(self, path: Path, reason: str) -> Path:
        """Move a draft's file to the quarantine, with the reason beside it; returns its new place."""
        from kura_runtime.store import pour

        return pour.quarantine(self, path, reason)

    def quarantined(self) -> list[dict[str, Any]]:
        """What lies in the quarantine: file and reason."""
        return opening.quarantined(self.workshop("quarantine"))

    def pour(
        self,
        staged: StagedDraft | Draft,
        *,
        verdict: JudgeVerdict,
        floor: Floor | None = None,
        people: People | None = None,
    ) -> Poured:
        """Make a judged draft a memory (or a dated section of one). Raises WriteRefused: policy, a verdict on other bytes;
        DraftQuarantined: no valid mark; FloorRefused: the surface floor; StoreDamaged: the manifest; BadInput: TOSS or SKIP,
        or a draft of no use. `floor` and `people` replace the store's own."""
        from kura_runtime.store import pour

        return pour.pour(self, staged, verdict, floor=floor, people=people)

    def poured(self) -> Mapping[str, history.Entry]:
        """Draft digest → the row of its pour."""
        return self._poured.all()

    # -- direct doors ------------------------------------------------------------------------------------------------------

    def remember(self, slug: str, trigger: str, body: str = "", **fields: Any) -> Written:
        """Write one memory directly, through the write gate. Fields: title, type, tags, belongs_because, keep, may_fade, door,
        who, heading. Raises WriteRefused, BadInput, StoreUnwritable."""
        from kura_runtime.store import direct

        return direct.remember(self, slug, trigger, body, **fields)

    def annotate(self, slug: str, **fields: Any) -> Written:
        """Merge tags and curation sentences into a memory; adding nothing touches nothing. Fields: tags, belongs_because,
        keep, may_fade, door, who. Raises WriteRefused, BadInput, UnknownMemory."""
        from kura_runtime.store import direct

        return direct.annotate(self, slug, **fields)

    def retire(
        self,
        old: str,
        new: str,
        *,
        door: str = "python",
        who: str = "",
        reason: str = "",
        manifest: str | None = None,
    ) -> Written:
        """Mark a memory as replaced: it stays, and its own line says so and names the other. Both must be held."""
        from kura_runtime.store import direct

        return direct.retire(self, old, new, door=door, who=who, reason=reason, manifest=manifest)

    def archive(self, slug: str, *, door: str = "python", who: str = "", reason: str = "") -> Written:
        """Move a memory to the archive: out of the index, still readable by its slug and by links."""
        from kura_runtime.store import direct

        return direct.archive(self, slug, door=door, who=who, reason=reason)

    def unarchive(self, slug: str, *, door: str = "python", who: str = "") -> Written:
        """Bring a memory back from the archive, in the state and under the heading it had."""
        from kura_runtime.store import direct

        return direct.unarchive(self, slug, door=door, who=who)

    def note_recurrence(self, slug: str, *, batch: str = "", session: str = "") -> Written:
        """The human came back to this topic in another session: the tag `recurred`, once. Only the distiller calls this."""
        from kura_runtime.store import direct

        return direct.recurred(self, slug, batch=batch, session=session)

    def note_covered(self, slug: str, **facts: Any) -> Written:
        """The human came back to what a memory says: `recurred`, and the names he uses for it. Facts: batch, session, recurs,
        callsigns, quotes, manifest. Only the distiller calls this."""
        from kura_runtime.store import receipts

        return receipts.note_covered(self, slug, **facts)

    def receipts(self, slug: str) -> list[dict[str, Any]]:
        """The sealed receipts of a memory's callsigns: the human's words behind each."""
        from kura_runtime.store import receipts

        return receipts.read(self, slug)

    def import_jsonl(self, file: Path | str, *, who: str = "") -> Imported:
        """Take over memories from a JSON Lines file, verbatim, into an empty store; all of them or none."""
        from kura_runtime.store import importing

        return importing.import_jsonl(self, Path(file), who=who)

    # -- looking back ------------------------------------------------------------------------------------------------------

    def history(self, slug: str) -> list[history.Entry]:
        """Everything that was done to a memory, oldest first; `sealed` says whether a line's seal holds."""
        key = None
        with suppress(StoreDamaged):
            key = gatekey.read_key(self.path / self.layout.places.durable)
        return history.read(self.path / self.layout.history_path(self.get(slug).slug), key)

    def histories(self) -> tuple[dict[str, list[Entry]], tuple[str, ...]]:
        """The history of every memory that ever was, by the name of its file; and the files that cannot be opened."""
        from kura_runtime.store.history import all_of

        key = None
        with suppress(StoreDamaged):
            key = gatekey.read_key(self.path / self.layout.places.durable)
        return all_of(self.path / self.durable("history"), key)

    def why(self, slug: str, *, archive: Path | None = None) -> Why:
        """Why a memory exists: its provenance, quotes down to the journal's bytes, model calls and history. `archive` is the
        folder of journal copies, to say which still hold what a journal lost."""
        from kura_runtime.store.why import why

        return why(self, slug, archive)

    def doctor(self) -> DoctorReport:
        """Examine the store. Writes nothing, but completes what a crash left over."""
        from kura_runtime.store.doctor import examine

        return examine(self)

    # -- lists beside the memories -----------------------------------------------------------------------------------------

    def seeds(self) -> list[dict[str, Any]]:
        """Ideas that wait for evidence, and those that found it (`state`: waiting or sprouted, then `memory`); no memories."""
        from kura_runtime.store import seeds

        return seeds.seeds(self)

    def add_sprouts(self, sprouts: Iterable[Mapping[str, Any]]) -> int:
        """Note which seed a draft (`draft`, its digest) or a memory (`memory`) confirms. Returns how many were new."""
        from kura_runtime.store import seeds

        return seeds.add_sprouts(self, sprouts)

    def add_seeds(self, seeds: Iterable[Mapping[str, Any]]) -> int:
        """Add ideas; one that is there already (the same topic, why and batch) is not added again. Returns how many were."""
        with self.lock():
            return rows.add(self.path / self.durable("seeds.jsonl"), seeds, ("topic", "why", "batch"))

    def dropped(self) -> list[dict[str, Any]]:
        """What was refused on the way, with reasons."""
        return history.rows_of(self.workshop("dropped.jsonl"))

    def add_dropped(self, dropped: Iterable[Mapping[str, Any]]) -> int:
        """Add refusals; the same one is not added again. Returns how many were."""
        with self.lock():
            return rows.add(self.workshop("dropped.jsonl"), dropped, None)

    def proposals(self, *, every: bool = False) -> list[dict[str, Any]]:
        """What waits for a person's ruling (with `every` also what was ruled)."""
        from kura_runtime.store.proposals import proposals

        return proposals(self, every=every)

    def rule(self, proposal_id: str, *, keep: Keep, who: str = "") -> dict[str, Any]:
        """A person's ruling on a conflict: keep new, old or both."""
        from kura_runtime.store.proposals import rule

        return rule(self, proposal_id, keep, who)

    # -- what the doors share ----------------------------------------------------------------------------------------------

    @contextmanager
    def lock(self, wait: float = WAIT_S) -> Iterator[None]:
        """Hold the store's lock (reentrant in a thread). Raises StoreBusy, StoreUnwritable."""
        with lock_of(self._durable_folder()).hold(wait):
            yield

    @contextmanager
    def changing(self, door: Door, who: str = "", *, by: str = "") -> Iterator[Change]:
        """A change through a door: policy, lock, leftovers replayed, then the change to fill and commit."""
        allow(self.policy, door, self.name)
        with self.lock():
            if self.journal.waiting():
                self.journal.replay()
            opening.prepare(self.path, self.layout)
            yield Change(self, by or door, who)

    def gate_key(self) -> bytes:
        """The store's key; made on first need, never again. Raises StoreDamaged where it is lost or unusable."""
        durable = self._durable_folder()
        key = gatekey.read_key(durable)
        if key is None:
            with self.lock():
                key = gatekey.make_key(durable)
        return key

    def _durable_folder(self) -> Path:
        return own_folder(self.path / self.layout.places.durable)

    @property
    def floor(self) -> Floor:
        """The surface floor that pours pass."""
        from kura_runtime.store.pour import surface_floor

        return self._floor or surface_floor

    def redact(self, text: str) -> tuple[str, dict[str, int]]:
        """The text without its secrets, and their number by kind."""
        from kura_runtime.gate.secrets import redact

        return redact(text)

    def secret_in(self, text: str) -> str:
        """The kind of a secret in the text, or ""."""
        return next(iter(self.redact(text)[1]), "")

    def durable(self, name: str) -> str:
        """The path of a durable file of ours, relative to the store."""
        return f"{self.layout.places.durable}/{name}"

    def workshop(self, name: str) -> Path:
        """A place in the workshop. Raises StoreDamaged where the workshop is a link."""
        folder = self.path / self.layout.places.workshop
        if folder.is_symlink() or (folder / name).is_symlink():
            raise StoreDamaged(folder / name, "a symlink; replace it by a folder of its own")
        return folder / name
