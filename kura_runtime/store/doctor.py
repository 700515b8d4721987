"""The doctor: everything about a store that a person should know or act on. Reads only, but for completing what a crash left."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import KuraError, StoreDamaged
from kura_runtime.store import gatekey, history, manifests
from kura_runtime.store.containment import read_own
from kura_runtime.store.durable import losses
from kura_runtime.store.layouts.base import Catalogue
from kura_runtime.store.reading import Survey
from kura_runtime.store.shelf import Capacity, measure

if TYPE_CHECKING:
    from kura_runtime.store.store import Store

SILENT_S = 24 * 3600  # a tending that wrote a heartbeat once and then none for so long has died
ALIVE_S = 3600


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to act on: its `kind`, `where` (a slug or a file) and the `message`, which names the way out."""

    kind: str
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """The state of a store. Healthy is a store without findings; islands, retirements, open proposals and waiting drafts
    are counted and are no illness."""

    store: str
    path: str
    layout: str
    policy: str
    revision: int
    counts: dict[str, int]
    capacity: Capacity
    findings: tuple[Finding, ...]
    islands: tuple[str, ...] = ()
    replayed: tuple[str, ...] = ()
    tending: dict[str, Any] = field(default_factory=dict)
    profile: str = "absent"

    @property
    def healthy(self) -> bool:
        return not self.findings

    def to_json(self) -> dict[str, Any]:
        """A plain dict."""
        report = {**asdict(self), "healthy": self.healthy}
        report["islands"], report["replayed"] = list(self.islands), list(self.replayed)
        report["findings"] = [asdict(f) for f in self.findings]
        return report


def examine(store: Store) -> DoctorReport:
    """See `Store.doctor`."""
    found: list[Finding] = []
    replayed = _replay(store, found)
    revision = _number(store, found)
    survey = store.reader.survey()
    shelved = store.reader.survey(archive=True)
    catalogue = store.reader.catalogue()
    memories = [page.memory for page in survey.pages.values()]
    _pages(survey, found)
    _pages(shelved, found)
    _index(store, survey, catalogue, found)
    islands = _links(memories, frozenset(survey.pages) | frozenset(shelved.pages), found)
    every = [*memories, *(p.memory for p in shelved.pages.values())]
    signed = _evidence(store, every, found)
    _signatures(store, survey, found)
    found += [Finding(*loss) for loss in losses(store, every)]
    _curation(store, every, found)
    _workshop_gone(store, found)
    waiting, quarantined = _workshop(store, found)
    holdings = store.layout.scan(store.path)
    sizes = [h.stamp[3] for h in holdings.held.values()]
    states = Counter(m.state for m in memories)
    provenances = Counter(m.provenance for m in memories)
    counts = {
        "memories": len(memories),
        **{f"state_{name}": n for name, n in sorted(states.items())},
        **{f"provenance_{name}": n for name, n in sorted(provenances.items())},
        **{f"type_{name}": n for name, n in sorted(Counter(m.type for m in memories).items())},
        "archived": len(shelved.pages),
        "links": sum(len(m.links) for m in memories),
        "islands": len(islands),
        "manifests": signed,
        "drafts": waiting,
        "quarantined": quarantined,
        "seeds": _safely(lambda: len(store.seeds()), 0, found),
        "proposals": _safely(lambda: len(store.proposals()), 0, found),
    }
    tending, profile = _tending(store, found), _profile(store, found)
    return DoctorReport(
        store=store.name,
        path=str(store.path),
        layout=store.layout.name,
        policy=store.policy,
        revision=revision,
        counts=counts,
        capacity=measure(memories, sizes, store.max_memories),
        findings=tuple(found),
        islands=tuple(islands),
        replayed=replayed,
        tending=tending,
        profile=profile,
    )


def _replay(store: Store, found: list[Finding]) -> tuple[str, ...]:
    """Complete what a crash left; name what could not be, and what was set aside now or earlier."""
    done: tuple[str, ...] = ()
    try:
        if store.journal.waiting():
            with store.lock():
                done = store.journal.replay().done
    except KuraError as error:
        found.append(Finding("wal", "_kura/wal", f"an unfinished change waits: {error}"))
    aside = store.path / store.layout.places.durable / "wal-quarantine"
    for entry in sorted(aside.iterdir()) if aside.is_dir() else []:
        if entry.suffix != ".reason":
            note = aside / f"{entry.name}.reason"
            reason = (
                note.read_text(encoding="utf-8", errors="replace").strip()
                if note.is_file()
                else "no reason was noted"
            )
            message = f"a damaged change was set aside ({reason}); look at its files, then delete or redo it"
            found.append(Finding("wal-quarantine", str(entry), message))
    return done


def _number(store: Store, found: list[Finding]) -> int:
    try:
        return store.revision
    except StoreDamaged as error:
        found.append(Finding("revision", error.path, str(error)))
        return -1


def _pages(survey: Survey, found: list[Finding]) -> None:
    for error in survey.damaged:
        found.append(Finding("damaged", error.path, str(error)))
    for name, reason in survey.refused:
        found.append(Finding("not-a-memory", name, f"{name}: {reason}"))
    for slug, page in survey.pages.items():
        for place, reason in page.notes:
            found.append(Finding("unreadable-tags", slug, f"{slug}: {place} cannot be read ({reason})"))


def _index(store: Store, survey: Survey, catalogue: Catalogue, found: list[Finding]) -> None:
    if catalogue.problem:
        found.append(Finding("index", "MEMORY.md", catalogue.problem))
        return
    if store.layout.index_stamp(store.path) == () and survey.pages:
        message = (
            f"MEMORY.md is gone; the next write rebuilds it from the {len(survey.pages)} pages, without what a person wrote "
            "around the lines; restore it from a backup first if that matters"
        )
        found.append(Finding("index-gone", "MEMORY.md", message))
        return
    lines = catalogue.by_slug()
    damaged = {Path(e.path).stem for e in survey.damaged}
    for slug in sorted(lines.keys() - survey.pages.keys() - damaged):
        found.append(
            Finding(
                "index-only",
                slug,
                f"{slug}: has an index line and no memory; delete the line or restore the file",
            )
        )
    for slug in sorted(survey.pages.keys() - lines.keys()):
        found.append(
            Finding("disk-only", slug, f"{slug}: a memory without an index line; add one, or annotate it")
        )
    for slug in sorted(set(catalogue.repeated)):
        found.append(
            Finding(
                "index-twice", slug, f"{slug}: more than one index line; the first counts, delete the others"
            )
        )


def _links(memories: list[Memory], known: frozenset[str], found: list[Finding]) -> list[str]:
    """Dead links are findings; the islands (no link from or to them) are returned."""
    linked: set[str] = set()
    for memory in memories:
        for link in memory.links:
            if link not in known:
                found.append(
                    Finding(
                        "dead-link", memory.slug, f"{memory.slug}: links to [[{link}]], which is no memory"
                    )
                )
            elif link != memory.slug:
                linked.update((link, memory.slug))
        successor = memory.superseded_by
        if successor and successor not in known:
            found.append(
                Finding(
                    "dead-successor",
                    memory.slug,
                    f"{memory.slug}: is superseded by {successor}, which is no memory",
                )
            )
    return sorted(m.slug for m in memories if m.slug not in linked)


def _evidence(store: Store, memories: list[Memory], found: list[Finding]) -> int:
    """Every pointer is followed and every manifest re-hashed; returns how many distinct ones hold."""
    state: dict[str, str] = {}
    for memory in memories:
        for digest in dict.fromkeys(d for d in (memory.evidence_manifest, memory.origin_manifest) if d):
            if digest not in state:
                state[digest] = _manifest_state(store, digest)
            if state[digest]:
                kind = "manifest-malformed" if not manifests.is_digest(digest) else "manifest"
                found.append(Finding(kind, memory.slug, f"{memory.slug}: {state[digest]}"))
        if memory.provenance == "distilled" and not memory.evidence_manifest:
            found.append(
                Finding(
                    "manifest-missing",
                    memory.slug,
                    f"{memory.slug}: is called distilled and points to no manifest",
                )
            )
    return sum(1 for problem in state.values() if not problem)


def _manifest_state(store: Store, digest: str) -> str:
    try:
        store.manifest(digest)
    except StoreDamaged as error:
        return str(error)
    return ""


def _signatures(store: Store, survey: Survey, found: list[Finding]) -> None:
    """A page that a door wrote and that says nothing of it any more: it was overwritten, and what vouched for it is gone."""
    for slug in sorted(store.layout.scan(store.path).held):
        page = survey.pages.get(slug)
        if page is not None and page.memory.provenance != "unsigned":
            continue
        with suppress(StoreDamaged):
            said = [
                str(e["provenance"])
                for e in history.read(store.path / store.layout.history_path(slug))
                if e.get("provenance") not in (None, "unsigned")
            ]
            if said:
                found.append(Finding("signature-lost", slug, f"{slug}: {_OVERWRITTEN.format(was=said[-1])}"))


_OVERWRITTEN = (
    "the page was {was} and its front matter is gone, so nothing vouches for what it says now; restore the page from a backup, "
    "or retire it and remember the new text in its own right"
)


def _workshop_gone(store: Store, found: list[Finding]) -> None:
    """The workshop may be deleted; that is said where something was poured out of it before."""
    folder = store.path / store.layout.places.workshop
    if not folder.exists() and _safely(lambda: len(store.poured()), 0, found):
        message = "the workshop is gone (waiting drafts with it; memories are not touched); `kura run` rebuilds the map and the snapshot"
        found.append(Finding("workshop-gone", str(folder), message))


def _curation(store: Store, memories: list[Memory], found: list[Finding]) -> None:
    """Where only the distiller may write, what is said about a memory must bear a seal."""
    try:
        key = gatekey.read_key(store.path / store.layout.places.durable)
    except StoreDamaged as error:
        found.append(Finding("gate-key", error.path, str(error)))
        return
    if store.policy != "distiller-only":
        return
    for memory in memories:
        try:
            entries = history.read(store.path / store.layout.history_path(memory.slug), key)
        except StoreDamaged as error:
            found.append(Finding("history", error.path, str(error)))
            continue
        state = history.curation_state(key, memory, entries) if key else _unkeyed(memory)
        if state in ("unsigned", "tampered"):
            message = f"{memory.slug}: its tags or curation sentences are {state} ({_WAY_OUT[state]})"
            found.append(Finding(f"curation-{state}", memory.slug, message))


_WAY_OUT = {
    "unsigned": "no door of this store wrote them",
    "tampered": "they were changed by hand after a door signed them",
}


def _unkeyed(memory: Memory) -> str:
    curated = memory.tags or memory.callsigns or memory.belongs_because or memory.keep or memory.may_fade
    return "unsigned" if curated else "none"


def _workshop(store: Store, found: list[Finding]) -> tuple[int, int]:
    """(waiting drafts, quarantined ones). Counts files only: a doctor moves nothing."""
    try:
        folder = store.workshop("drafts")
        drafts = len([p for p in folder.glob("*.md") if not p.name.startswith(".")]) if folder.is_dir() else 0
        aside = store.quarantined()
    except StoreDamaged as error:
        found.append(Finding("workshop", error.path, str(error)))
        return 0, 0
    for entry in aside:
        found.append(
            Finding(
                "quarantined",
                entry["file"],
                f"{entry['file']}: {entry['reason']}; look at it, then delete it",
            )
        )
    return drafts, len(aside)


def _tending(store: Store, found: list[Finding]) -> dict[str, Any]:
    """{"alive", "at", "age_s"} from the last heartbeat; alive is None where nobody ever tended."""
    path = store.path / store.layout.places.durable / "heartbeat.json"
    try:
        at = datetime.fromisoformat(json.loads(read_own(path)[0])["at"])
    except FileNotFoundError:
        return {"alive": None, "at": None, "age_s": None}
    except (StoreDamaged, ValueError, KeyError, TypeError) as error:
        found.append(Finding("heartbeat", str(path), f"{path}: cannot be read ({error}); delete it"))
        return {"alive": None, "at": None, "age_s": None}
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    age = int((store.clock() - at).total_seconds())
    if age > SILENT_S:
        found.append(
            Finding(
                "tending",
                str(path),
                f"nothing has tended this store since {at.isoformat()}; is the daemon down?",
            )
        )
    return {"alive": age <= ALIVE_S, "at": at.isoformat(), "age_s": age}


def _profile(store: Store, found: list[Finding]) -> str:
    """absent, present or broken."""
    path = store.path / "profile.md"
    try:
        read_own(path)[0].decode("utf-8")
    except FileNotFoundError:
        return "absent"
    except (StoreDamaged, UnicodeDecodeError) as error:
        found.append(Finding("profile", str(path), f"{path}: the profile cannot be read ({error})"))
        return "broken"
    return "present"


def _safely(count: Any, default: int, found: list[Finding]) -> int:
    try:
        return int(count())
    except StoreDamaged as error:
        found.append(Finding("unreadable", error.path, str(error)))
        return default
