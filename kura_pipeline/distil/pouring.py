"""Step `memories`: the cold judge, then the pour. What is refused is kept with its reason; what is not answered waits."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from kura_pipeline.distil.abreast import abreast
from kura_pipeline.distil.drafting import DraftRow
from kura_pipeline.distil.editor import Brief, Editor
from kura_pipeline.distil.form import refusals_of
from kura_pipeline.distil.retire import supersessions
from kura_pipeline.distil.turns import turn
from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Draft, JudgeVerdict
from kura_runtime.domain.evidence import Quote
from kura_runtime.domain.manifest import Manifest
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import (
    BadInput,
    DraftQuarantined,
    FloorRefused,
    StoreDamaged,
    UnknownMemory,
    WriteRefused,
)
from kura_runtime.gate.surface import check
from kura_runtime.store.drafts import StagedDraft

log = logging.getLogger(__name__)


class PourStore(Protocol):
    """What pouring needs of a store."""

    @property
    def name(self) -> str: ...

    @property
    def policy(self) -> Any: ...

    def workshop(self, name: str) -> Path: ...

    def drafts(self) -> list[StagedDraft]: ...

    def quarantined(self) -> list[dict[str, Any]]: ...

    def discard(self, digest: str, reason: str) -> bool: ...

    def pour(self, staged: StagedDraft, *, verdict: JudgeVerdict, floor: Any, people: Any) -> Any: ...

    def slugs(self) -> frozenset[str]: ...

    def memories(self) -> list[Memory]: ...

    def manifest(self, digest: str) -> Manifest: ...

    def history(self, slug: str) -> Sequence[Mapping[str, Any]]: ...

    def retire(self, old: str, new: str, *, door: str, reason: str, manifest: str | None) -> Any: ...

    def note_covered(
        self,
        slug: str,
        *,
        batch: str,
        session: str,
        recurs: bool,
        callsigns: Sequence[str],
        quotes: Sequence[Quote],
        manifest: str,
    ) -> Any: ...

    def add_seeds(self, seeds: Sequence[dict[str, Any]]) -> int: ...


@runtime_checkable
class AsksAgain(Protocol):
    """An editor whose recorded non-answers can be asked for anew."""

    def asking_again(self) -> Editor: ...


@dataclass(frozen=True, slots=True)
class PourRow:
    """What became of one staged draft.

    `verdict` is the judge's word, or QUARANTINE where it was never judged. `action` is what the store did: created,
    extended, already, covered, discarded, waiting, refused (by the store; it waits), gone (another drain was faster),
    elsewhere (another drain is judging it, and this one did not) or quarantined. `slug` is the memory's, which may differ from the
    draft's where that name was taken.
    """

    digest: str
    slug: str
    batch_id: str
    title: str
    verdict: str
    action: str
    reason: str = ""
    revision: str = ""
    manifest: str = ""
    refusals: tuple[Refusal, ...] = ()
    retired: tuple[str, ...] = ()
    conflicts: str = ""


@dataclass(frozen=True, slots=True)
class PourResult:
    """The rows of one drain. `seeds` counts the ideas that were new to the store, `recurred` the memories tagged so,
    `callsigns` the names that memories were given because the human used them again."""

    poured: tuple[PourRow, ...]
    seeds: int = 0
    recurred: int = 0
    callsigns: int = 0

    def rows(self) -> list[PourRow]:
        """One row a judged or quarantined draft."""
        return list(self.poured)

    @property
    def counts(self) -> dict[str, int]:
        """Numbers for metadata."""
        verdicts = Counter(r.verdict for r in self.poured)
        actions = Counter(r.action for r in self.poured)
        return {
            "poured": actions["created"] + actions["extended"],
            "created": actions["created"],
            "extended": actions["extended"],
            "already": actions["already"],
            "covered": actions["covered"],
            "fixed": sum(r.verdict == "FIX" and r.action in ("created", "extended") for r in self.poured),
            "tossed": verdicts["TOSS"],
            "skipped": actions["waiting"],
            "elsewhere": actions["elsewhere"] + actions["gone"],
            "quarantined": actions["quarantined"],
            "refused": actions["refused"],
            "retired": sum(len(r.retired) for r in self.poured),
            "conflicts": sum(bool(r.conflicts) for r in self.poured),
            "seeds": self.seeds,
            "recurred": self.recurred,
            "callsigns": self.callsigns,
        }


def pour_batch(
    batch_id: str,
    store: PourStore,
    editor: Editor,
    brief: Brief,
    *,
    seeds: Sequence[dict[str, Any]] = (),
    drafted: Sequence[DraftRow] = (),
    slots: int = 1,
) -> PourResult:
    """Judge and pour the staged drafts of one batch, and hand its ideas (`seeds_of`) to the store. `drafted` are the rows
    of the drafts step: where the human came back to something the store holds, the memory is tagged `recurred`.

    Idempotent: a draft that was poured before is `already`. Raises ModelUnavailable where the judge is out of reach (what
    was poured until then stays poured, the rest stays staged), and WriteRefused on a frozen store, before any call.
    """
    rows, lost = _open(store, batch_id)
    poured = (*lost, *_drain(rows, store, editor, brief, slots))
    added = store.add_seeds(list(seeds)) if seeds else 0
    return PourResult(poured, added, *_comebacks(store, batch_id, drafted))


def drain(
    store: PourStore, editor: Editor, brief: Brief, *, slots: int = 1, leave: Collection[str] = ()
) -> PourResult:
    """Judge and pour every waiting draft, but for those of the batches to `leave`. A draft that waits because the judge gave
    no verdict is put before the judge again. Safe beside other drains and runs: a draft is judged by one of them, and
    poured once. Raises like `pour_batch`."""
    if isinstance(editor, AsksAgain):
        editor = editor.asking_again()
    rows, lost = _open(store, None)
    waiting = [s for s in rows if s.draft.batch_id not in leave]
    return PourResult((*lost, *_drain(waiting, store, editor, brief, slots)))


def _open(store: PourStore, batch_id: str | None) -> tuple[list[StagedDraft], list[PourRow]]:
    """The drafts to judge, and a row for each that the store moved to the quarantine on looking at it."""
    if store.policy == "frozen":
        raise WriteRefused(store.policy, f'the store "{store.name}" is frozen; nothing is judged for it')
    before = {str(q.get("file")) for q in store.quarantined()}
    waiting = [s for s in store.drafts() if batch_id is None or s.draft.batch_id == batch_id]
    lost = [q for q in store.quarantined() if str(q.get("file")) not in before]
    return waiting, [
        PourRow("", str(q.get("file")), batch_id or "", "", "QUARANTINE", "quarantined", str(q.get("reason")))
        for q in lost
    ]


def _drain(
    waiting: Sequence[StagedDraft], store: PourStore, editor: Editor, brief: Brief, slots: int
) -> Iterator[PourRow]:
    """In the order of the workshop, `slots` judgements at a time; each pour happens before the next judgement begins, so
    that a run that is stopped leaves behind what it has judged."""
    slots = max(1, slots)
    folder = store.workshop("judging")
    for at in range(0, len(waiting), slots):
        with ExitStack() as turns:
            part: list[StagedDraft] = []
            for staged in waiting[at : at + slots]:
                ours = turns.enter_context(turn(folder, staged.digest, staged.path))
                if ours and staged.path.exists():
                    part.append(staged)
                else:
                    reason = "another drain is judging it" if not ours else "another drain was faster"
                    yield replace(_row(staged), action="gone" if ours else "elsewhere", reason=reason)
            verdicts = abreast(lambda s: editor.judge(s.draft, brief, digest=s.digest), part, slots)
            for staged, verdict in zip(part, verdicts, strict=True):
                yield _end(staged, verdict, store, brief)


def _row(staged: StagedDraft) -> PourRow:
    draft = staged.draft
    return PourRow(
        digest=staged.digest,
        slug=draft.extends or draft.surface.slug,
        batch_id=draft.batch_id,
        title=draft.surface.title or draft.surface.heading,
        verdict="SKIP",
        action="waiting",
        manifest=draft.manifest,
        conflicts=draft.conflicts or "",
    )


def _end(staged: StagedDraft, verdict: JudgeVerdict, store: PourStore, brief: Brief) -> PourRow:
    draft = staged.draft
    row = replace(_row(staged), verdict=verdict.verdict, reason=verdict.reason)
    if verdict.digest != staged.digest:
        return replace(row, verdict="SKIP", reason="the verdict is about other bytes")
    if verdict.verdict == "SKIP":
        return row
    if verdict.verdict == "TOSS":
        store.discard(staged.digest, f"tossed: {verdict.reason}")
        return replace(row, action="discarded")
    if verdict.verdict == "FIX":
        refusals = _against_fix(draft, verdict, store, brief)
        if refusals:
            # a repair passes the same floor as the first draft; one that does not changes nothing
            reason = f"the repair fell at the floor: {refusals[0].reason} {refusals[0].token}".strip()
            return replace(row, reason=reason, refusals=refusals)
    return _pour(row, staged, verdict, store, brief)


def _against_fix(draft: Draft, verdict: JudgeVerdict, store: PourStore, brief: Brief) -> tuple[Refusal, ...]:
    if verdict.fixed is None:
        return (Refusal("form", "unreadable", note="FIX without a repair"),)
    return refusals_of(
        verdict.fixed,
        draft.quotes,
        brief,
        links=store.slugs(),
        stamp=draft.stamp,
        extends=draft.extends,
        judgement=draft.judgement,
    )


def _pour(
    row: PourRow, staged: StagedDraft, verdict: JudgeVerdict, store: PourStore, brief: Brief
) -> PourRow:
    floor = partial(check, judgement=staged.draft.judgement)
    try:
        poured = store.pour(staged, verdict=verdict, floor=floor, people=brief.people)
    except DraftQuarantined as refused:
        return replace(row, verdict="QUARANTINE", action="quarantined", reason=str(refused))
    except FloorRefused as refused:
        found = tuple(r for r in refused.refusals if isinstance(r, Refusal))
        return replace(row, action="refused", reason=str(refused), refusals=found)
    except (WriteRefused, BadInput, StoreDamaged) as refused:
        # one draft that cannot be poured is no reason to leave the others unjudged; it waits, with the reason
        gone = not staged.path.exists()
        return replace(row, action="gone" if gone else "refused", reason=str(refused))
    row = replace(row, slug=poured.slug, action=poured.action, revision=str(poured.revision))
    if poured.action in ("created", "already") and staged.draft.extends is None:
        row = replace(row, retired=_retire(staged.draft, poured.slug, store))
    return row


def _retire(draft: Draft, slug: str, store: PourStore) -> tuple[str, ...]:
    """Retire what the human's own words say is replaced. Also after `already`: a crash may have come between the pour
    and this. What was retired for this memory once is not retired again, for a person may have brought it back."""
    retired: list[str] = []
    new = replace(draft.surface, slug=slug)
    for found in supersessions(new, draft.callsigns, draft.quotes, store.memories()):
        done = (e.get("action") == "retire" and e.get("successor") == slug for e in store.history(found.old))
        if any(done):
            continue
        try:
            store.retire(found.old, slug, door="distill", reason=found.sentence, manifest=draft.manifest)
        except (WriteRefused, BadInput, UnknownMemory) as error:
            log.warning("%s was not retired in favour of %s: %s", found.old, slug, error)
        else:
            retired.append(found.old)
    return tuple(retired)


def _comebacks(store: PourStore, batch_id: str, drafted: Sequence[DraftRow]) -> tuple[int, int]:
    """(memories tagged `recurred`, callsigns receipted) for what the human came back to. A memory has recurred only where it
    is known which sessions it came from, and this is another one; a name is the human's in any session."""
    recurred = named = 0
    for row in drafted:
        if not row.recurring or row.neighbour not in store.slugs():
            continue
        origin = _sessions(store, row.neighbour)
        before = {m.slug: m for m in store.memories()}[row.neighbour]
        store.note_covered(
            row.neighbour,
            batch=batch_id,
            session=row.session,
            recurs=bool(row.session and origin) and row.session not in origin,
            callsigns=row.callsigns,
            quotes=row.quotes,
            manifest=row.manifest,
        )
        after = {m.slug: m for m in store.memories()}[row.neighbour]
        recurred += "recurred" in after.tags and "recurred" not in before.tags
        named += len(after.callsigns) - len(before.callsigns)
    return recurred, named


def _sessions(store: PourStore, slug: str) -> set[str]:
    """The sessions behind a memory, out of the manifests of its history."""
    digests = {str(e["manifest"]) for e in store.history(slug) if e.get("manifest")}
    found: set[str] = set()
    for digest in sorted(digests):
        try:
            found.update(q.session for q in store.manifest(digest).quotes)
        except StoreDamaged:
            continue
    return found
