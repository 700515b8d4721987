"""Step `memories`: the cold judge, then the pour. What is refused is kept with its reason; what is not answered waits."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

from kura_pipeline.distil.editor import Brief, Editor
from kura_pipeline.distil.form import refusals_of
from kura_pipeline.distil.marking import mark_holds, marked
from kura_pipeline.distil.retire import supersessions
from kura_runtime.domain.candidate import Refusal
from kura_runtime.domain.draft import Draft, JudgeVerdict
from kura_runtime.domain.memory import Memory
from kura_runtime.errors import KuraError, WriteRefused

log = logging.getLogger(__name__)


class Staged(Protocol):
    """A draft as it lies in the store's workshop."""

    @property
    def path(self) -> Any: ...

    @property
    def draft(self) -> Draft: ...

    @property
    def digest(self) -> str: ...


class PourStore(Protocol):
    """What pouring needs of a store."""

    @property
    def name(self) -> str: ...

    def gate_key(self) -> bytes: ...

    def drafts(self) -> Sequence[Any]: ...

    def stage(self, draft: Draft) -> Any: ...

    def quarantine(self, path: Any, reason: str) -> Any: ...

    def discard(self, digest: str, reason: str) -> Any: ...

    def pour(self, staged: Any, *, verdict: JudgeVerdict) -> Any: ...

    def slugs(self) -> frozenset[str]: ...

    def memories(self) -> list[Memory]: ...

    def retire(self, old: str, new: str, *, reason: str) -> Any: ...

    def add_seeds(self, seeds: Sequence[dict[str, Any]]) -> Any: ...


@runtime_checkable
class AsksAgain(Protocol):
    """An editor whose recorded non-answers can be asked for anew."""

    def asking_again(self) -> Editor: ...


@dataclass(frozen=True, slots=True)
class PourRow:
    """What became of one staged draft.

    `verdict` is the judge's word, or QUARANTINE where it was never judged. `action` is what the store did: created,
    extended, already, covered …, discarded, waiting, quarantined. `slug` is the memory's, which may differ from the
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
    """The rows of one drain; `seeds` is the number of ideas handed to the store."""

    poured: tuple[PourRow, ...]
    seeds: int = 0

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
            "fixed": sum(r.verdict == "FIX" and r.action != "waiting" for r in self.poured),
            "tossed": verdicts["TOSS"],
            "skipped": actions["waiting"],
            "quarantined": actions["quarantined"],
            "refused": actions["refused"],
            "retired": sum(len(r.retired) for r in self.poured),
            "conflicts": sum(bool(r.conflicts) for r in self.poured),
            "seeds": self.seeds,
        }


def pour_batch(
    batch_id: str,
    store: PourStore,
    editor: Editor,
    brief: Brief,
    *,
    seeds: Sequence[dict[str, Any]] = (),
    slots: int = 1,
) -> PourResult:
    """Judge and pour the staged drafts of one batch, and hand its ideas (`seeds_of`) to the store. Idempotent: a draft
    that was poured before is `already`. Raises ModelUnavailable where the judge is out of reach; what was poured until
    then stays poured, the rest stays staged."""
    waiting = [s for s in store.drafts() if s.draft.batch_id == batch_id]
    rows = tuple(_drain(waiting, store, editor, brief, slots))
    if seeds:
        store.add_seeds(seeds)
    return PourResult(rows, len(seeds))


def drain(store: PourStore, editor: Editor, brief: Brief, *, slots: int = 1) -> PourResult:
    """Judge and pour every waiting draft, of whatever batch. A draft that waits because the judge gave no verdict is put
    before the judge again."""
    if isinstance(editor, AsksAgain):
        editor = editor.asking_again()
    return PourResult(tuple(_drain(list(store.drafts()), store, editor, brief, slots)))


def _drain(
    waiting: Sequence[Staged], store: PourStore, editor: Editor, brief: Brief, slots: int
) -> Iterator[PourRow]:
    """In the order of the workshop, `slots` judgements at a time; each pour happens before the next judgement begins, so
    that a run that is stopped leaves behind what it has judged."""
    slots = max(1, slots)
    with ThreadPoolExecutor(max_workers=slots) as pool:
        for at in range(0, len(waiting), slots):
            part = waiting[at : at + slots]
            sound = [s for s in part if mark_holds(s.draft, store)]
            verdicts = dict(
                zip(
                    (s.digest for s in sound),
                    pool.map(lambda s: editor.judge(s.draft, brief, digest=s.digest), sound),
                    strict=True,
                )
            )
            for staged in part:
                yield _end(staged, verdicts.get(staged.digest), store, brief)


def _end(staged: Staged, verdict: JudgeVerdict | None, store: PourStore, brief: Brief) -> PourRow:
    draft = staged.draft
    row = PourRow(
        digest=staged.digest,
        slug=draft.extends or draft.surface.slug,
        batch_id=draft.batch_id,
        title=draft.surface.title or draft.surface.heading,
        verdict="QUARANTINE",
        action="quarantined",
        manifest=draft.manifest,
        conflicts=draft.conflicts or "",
    )
    if verdict is None:
        reason = "the gate's mark is missing or wrong"
        store.quarantine(staged.path, reason)
        return replace(row, reason=reason)
    row = replace(row, verdict=verdict.verdict, reason=verdict.reason)
    if verdict.digest != staged.digest:
        return replace(row, verdict="SKIP", action="waiting", reason="the verdict is about other bytes")
    if verdict.verdict == "SKIP":
        return replace(row, action="waiting")
    if verdict.verdict == "TOSS":
        store.discard(staged.digest, f"tossed: {verdict.reason}")
        return replace(row, action="discarded")
    if verdict.verdict == "FIX":
        return _fix(row, staged, verdict, store, brief)
    return _pour(row, staged, verdict, store)


def _fix(row: PourRow, staged: Staged, verdict: JudgeVerdict, store: PourStore, brief: Brief) -> PourRow:
    """A repair passes the same floor as the first draft, and is signed again; one that does not pass changes nothing."""
    draft = staged.draft
    if verdict.fixed is None:
        return replace(row, verdict="SKIP", action="waiting", reason="FIX without a repair")
    refusals = refusals_of(
        verdict.fixed, draft.quotes, brief, links=store.slugs(), stamp=draft.stamp, extends=draft.extends
    )
    if refusals:
        reason = f"the repair fell at the floor: {refusals[0].reason} {refusals[0].token}".strip()
        return replace(row, action="waiting", reason=reason, refusals=refusals)
    repaired = store.stage(marked(replace(draft, surface=verdict.fixed, mark=""), store))
    store.discard(staged.digest, f"fixed: {verdict.reason}")
    return _pour(row, repaired, JudgeVerdict("POUR", repaired.digest, verdict.reason), store)


def _pour(row: PourRow, staged: Staged, verdict: JudgeVerdict, store: PourStore) -> PourRow:
    try:
        poured = store.pour(staged, verdict=verdict)
    except WriteRefused as refused:
        # a door that is shut is a decision of the store's owner, not an outage: the draft waits, with the reason
        return replace(row, action="waiting", reason=str(refused))
    row = replace(
        row, slug=poured.slug, action=poured.action, revision=str(poured.revision), digest=staged.digest
    )
    if poured.action == "created":
        row = replace(row, retired=_retire(staged.draft, poured.slug, store))
    return row


def _retire(draft: Draft, slug: str, store: PourStore) -> tuple[str, ...]:
    retired: list[str] = []
    new = replace(draft.surface, slug=slug)
    for found in supersessions(new, draft.callsigns, draft.quotes, store.memories()):
        try:
            store.retire(found.old, found.new, reason=found.sentence)
        except KuraError as error:
            log.warning("%s was not retired in favour of %s: %s", found.old, found.new, error)
        else:
            retired.append(found.old)
    return tuple(retired)
