"""The direct doors: remember, annotate, retire, archive and back. A person's or an agent's own word, marked as such.

What comes in here has no evidence behind it, so it is never called distilled; it still passes the write gate.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from kura_runtime.domain.links import links_of
from kura_runtime.domain.memory import MEMORY_TYPES, TRIGGER_MAX, Memory
from kura_runtime.domain.slug import SLUG_MAX, SLUG_MIN, is_slug
from kura_runtime.domain.tags import CODE_ONLY_TAGS, FORGETTING_TAGS
from kura_runtime.errors import BadInput
from kura_runtime.store.change import Change, related
from kura_runtime.store.layouts.kura import RESERVED
from kura_runtime.store.layouts.page import trimmed
from kura_runtime.store.pour import extended
from kura_runtime.store.proposals import conflict_file
from kura_runtime.store.writegate import VECTORISER, Finding, examine

if TYPE_CHECKING:
    from kura_runtime.store.store import Store

BODY_MAX, TITLE_MAX, SENTENCE_MAX, TAG_MAX = 9000, 120, 600, 40  # characters
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")

Action = Literal[
    "created",
    "covered",
    "extended",
    "conflict",
    "annotated",
    "retired",
    "archived",
    "unarchived",
    "unchanged",
]


@dataclass(frozen=True, slots=True)
class Written:
    """What a direct write did. `slug` is where the knowledge stands now. `redactions` counts secrets taken out by kind,
    `links_missing` names links that lead nowhere yet, `refused_tags` (tag, reason); `near` and `likeness` name the nearest
    memory that was compared, by `vectoriser`."""

    action: Action
    slug: str
    revision: int
    note: str = ""
    redactions: dict[str, int] = field(default_factory=dict)
    links_missing: tuple[str, ...] = ()
    refused_tags: tuple[tuple[str, str], ...] = ()
    differences: tuple[str, ...] = ()
    near: str = ""
    likeness: float = 0.0
    vectoriser: str = ""
    proposal: str = ""

    def to_json(self) -> dict[str, Any]:
        """A plain dict; empty fields are left out but for action, slug and revision."""
        kept = {k: v for k, v in asdict(self).items() if v or k in ("action", "slug", "revision")}
        return kept | ({"likeness": round(self.likeness, 4)} if self.likeness else {})


def remember(
    store: Store, slug: str, trigger: str, body: str = "", *, title: str = "", type: str = "project",  # noqa: A002
    tags: tuple[str, ...] = (), belongs_because: str = "", keep: str = "", may_fade: str = "", door: str = "python",
    who: str = "", heading: str | None = None,
) -> Written:  # fmt: skip
    """See `Store.remember`."""
    _check_slug(slug)
    if type not in MEMORY_TYPES:
        raise BadInput("type", f'"{type[:40]}" is none of {", ".join(MEMORY_TYPES)}')
    cleaner = _Cleaner(store)
    trigger = cleaner.line("trigger", trigger, TRIGGER_MAX, needed=True)
    title = cleaner.line("title", title, TITLE_MAX) or _opening(trigger)
    body = cleaner.text("body", body, BODY_MAX)
    curation = _curation(cleaner, belongs_because, keep, may_fade)
    good, refused = _tags(tags)
    with store.changing("remember", who, by=door) as change:
        memories = store.memories()
        found = examine(body or trigger, memories, store.dedup_threshold)
        day = change.time[:10]
        memory = Memory(
            slug=slug, title=title, trigger=trigger, type=type, tags=good, summary=body, created=day, updated=day,
            provenance="direct", links=links_of(body), **curation,
        )  # fmt: skip
        result = _take(store, change, memory, found, heading)
        known = store.slugs() | store.archived() | {result.slug}
        return replace(
            result,
            note="; ".join(said for said in (result.note, change.notice) if said),
            redactions=cleaner.counts,
            refused_tags=refused,
            links_missing=tuple(x for x in memory.links if x not in known),
            near=found.slug,
            likeness=found.likeness,
            vectoriser=VECTORISER,
        )


def _take(store: Store, change: Change, memory: Memory, found: Finding, heading: str | None) -> Written:
    if found.kind == "covered":
        return Written(
            "covered", found.slug, store.revision, f"{found.slug} says that already; nothing was written"
        )
    if found.kind == "extends":
        old = store.get(found.slug)
        longer = extended(old, memory.updated, memory.title, found.added)
        change.put(
            longer,
            "extend",
            note=f"near duplicate under the slug {memory.slug}",
            likeness=round(found.likeness, 4),
        )
        note = f"{found.slug} says nearly that; what was new was added to it"
        return Written("extended", found.slug, change.commit(), note)
    wanted = memory.slug
    memory = memory.with_(slug=change.free(wanted))
    note = ""
    facts: dict[str, Any] = {}
    if memory.slug != wanted:
        note = facts["note"] = f"the slug {wanted} holds other content; this stands under its own"
        if store.holds(wanted):
            memory = related(memory, wanted)
            if found.kind != "conflict" or found.slug != wanted:
                change.put(
                    related(store.get(wanted), memory.slug),
                    "link",
                    note=f"{memory.slug} came under the same slug",
                )
    if found.kind != "conflict":
        change.put(memory, "create", heading=heading, **facts)
        return Written("created", memory.slug, change.commit(), note)
    old = store.get(found.slug)
    memory = related(memory, old.slug).with_(state="conflict")
    face = related(old, memory.slug).with_(
        state="conflict" if old.state in ("active", "stale") else old.state
    )
    reason = "nearly the same words, but not the same claim"
    name, data = conflict_file(store, old, memory, change.time, reason, found.differences)
    proposal = name.rsplit("/", 1)[-1].removesuffix(".json")
    change.file(name, data)
    change.put(face, "conflict", note=f"against {memory.slug}", proposal=proposal, was={"state": old.state})
    change.put(memory, "create", heading=heading, proposal=proposal, **facts)
    note = f"{old.slug} says otherwise ({'; '.join(found.differences)}); both are kept, a person must rule"
    return Written(
        "conflict", memory.slug, change.commit(), note, differences=found.differences, proposal=proposal
    )


def annotate(
    store: Store, slug: str, *, tags: tuple[str, ...] = (), belongs_because: str = "", keep: str = "", may_fade: str = "",
    door: str = "python", who: str = "",
) -> Written:  # fmt: skip
    """See `Store.annotate`."""
    cleaner = _Cleaner(store)
    given = _curation(cleaner, belongs_because, keep, may_fade)
    good, refused = _tags(tags)
    with store.changing("annotate", who, by=door) as change:
        old = live(store, slug)
        page = store.page(slug)
        if good and any(place in ("tags", "callsigns") for place, _ in page.notes):
            raise BadInput(
                "tags", f"the tags of {old.slug} cannot be read ({page.notes[0][1]}); mend that line first"
            )
        merged = tuple(dict.fromkeys((*old.tags, *good)))
        changes: dict[str, Any] = {k: v for k, v in given.items() if v and v != getattr(old, k)}
        if merged != old.tags:
            changes["tags"] = merged
        if not changes:
            note = "that adds nothing; nothing was touched"
            return Written("unchanged", old.slug, store.revision, note, cleaner.counts, refused_tags=refused)
        was = {k: getattr(old, k) for k in changes if getattr(old, k)}
        change.put(old.with_(**changes), "annotate", was=was)
        return Written("annotated", old.slug, change.commit(), "", cleaner.counts, refused_tags=refused)


def retire(
    store: Store, old: str, new: str, *, door: str, who: str, reason: str = "", manifest: str | None = None
) -> Written:
    """See `Store.retire`."""
    with store.changing("retire", who, by=door) as change:
        before, successor = live(store, old), live(store, new)
        if before.slug == successor.slug:
            raise BadInput("new", f'"{new}" cannot replace itself')
        if before.state == "retired" and before.superseded_by == successor.slug:
            note = f"{old} was retired towards {new} before"
            return Written("unchanged", before.slug, store.revision, note)
        seen, at = {before.slug}, successor
        while at.superseded_by and store.holds(at.superseded_by):
            if at.superseded_by in seen:
                raise BadInput(
                    "new", f'"{new}" was itself replaced by "{old}"; retiring both ways would leave nothing'
                )
            seen.add(at.slug)
            at = store.get(at.superseded_by)
        was = {"trigger": before.trigger, "state": before.state}
        change.put(
            retired(before, successor.slug),
            "retire",
            was=was,
            reason=reason,
            manifest=manifest,
            successor=successor.slug,
        )
        return Written(
            "retired", before.slug, change.commit(), f"its own line now says: see {successor.slug}"
        )


def live(store: Store, slug: str) -> Memory:
    """A memory that may be changed: held, and not in the archive. Raises UnknownMemory, BadInput."""
    memory = store.get(slug)
    if not store.holds(memory.slug):
        raise BadInput(
            "slug", f'"{memory.slug}" is in the archive; bring it back first: kura unarchive {memory.slug}'
        )
    return memory


def retired(memory: Memory, successor: str) -> Memory:
    """The memory with its retirement face on. Its words stay; its line says where to look now."""
    bare = re.sub(r"^⚠ retired, see \S+: ", "", memory.trigger)
    trigger = f"⚠ retired, see {successor}: {bare}"
    if len(trigger) > TRIGGER_MAX:
        trigger = trigger[: TRIGGER_MAX - 1].rstrip() + "…"
    return memory.with_(state="retired", superseded_by=successor, trigger=trigger)


def archive(store: Store, slug: str, *, door: str, who: str, reason: str) -> Written:
    """See `Store.archive`."""
    with store.changing("archive", who, by=door) as change:
        memory = store.get(slug)
        if memory.slug in store.archived() and not store.holds(memory.slug):
            return Written("unchanged", memory.slug, store.revision, "it is in the archive already")
        shelved = memory.with_(state="archived")
        change.edition.archive(shelved)
        was = {"state": memory.state, "heading": store.heading(memory.slug)}
        change.record(shelved, "archive", reason=reason, was=was)
        return Written(
            "archived",
            memory.slug,
            change.commit(),
            "links to it stay readable; `kura unarchive` brings it back",
        )


def unarchive(store: Store, slug: str, *, door: str, who: str) -> Written:
    """See `Store.unarchive`."""
    with store.changing("unarchive", who, by=door) as change:
        memory = store.get(slug)
        if store.holds(memory.slug):
            return Written("unchanged", memory.slug, store.revision, "it is not in the archive")
        was: dict[str, Any] = next(
            (e.get("was", {}) for e in reversed(store.history(memory.slug)) if e.get("action") == "archive"),
            {},
        )
        back = memory.with_(state=was.get("state") or "active")
        change.edition.unarchive(back, heading=was.get("heading") or None)
        change.record(back, "unarchive")
        return Written("unarchived", memory.slug, change.commit())


def recurred(store: Store, slug: str, *, batch: str, session: str) -> Written:
    """See `Store.note_recurrence`."""
    with store.changing("pour", "distiller") as change:
        memory = live(store, slug)
        if "recurred" in memory.tags:
            return Written("unchanged", memory.slug, store.revision)
        after = memory.with_(tags=(*memory.tags, "recurred"))
        change.put(after, "recur", batch=batch, session=session)
        return Written("annotated", memory.slug, change.commit())


# -- what a caller may say ---------------------------------------------------------------------------------------------


def _check_slug(slug: str) -> None:
    if not is_slug(slug) or "/" in slug:
        raise BadInput(
            "slug",
            f'"{slug[:80]}" is no slug: lower-case Latin words and digits joined by hyphens, {SLUG_MIN} to {SLUG_MAX} characters',
        )
    if slug in RESERVED:
        raise BadInput("slug", f'"{slug}" is the name of a file that is no memory; choose another')


class _Cleaner:
    """Checks a caller's texts and takes the secrets out, counting them."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.counts: dict[str, int] = {}

    def text(self, name: str, value: str, limit: int, *, needed: bool = False) -> str:
        if (bad := _CONTROL.search(value)) is not None:
            raise BadInput(
                name,
                f"character {bad.start() + 1} is a control character (U+{ord(bad.group()):04X}); remove it",
            )
        value, counts = self._store.redact(trimmed(value.replace("\r\n", "\n")))
        for kind, n in counts.items():
            self.counts[kind] = self.counts.get(kind, 0) + n
        if len(value) > limit:
            raise BadInput(name, f"{len(value)} characters; at most {limit} fit")
        if needed and not value.strip():
            raise BadInput(name, "is empty; it is what the memory is recognised by")
        return value

    def line(self, name: str, value: str, limit: int, *, needed: bool = False) -> str:
        return self.text(
            name, " ".join(value.split()) if not _CONTROL.search(value) else value, limit, needed=needed
        )


def _curation(cleaner: _Cleaner, belongs_because: str, keep: str, may_fade: str) -> dict[str, Any]:
    given = {"belongs_because": belongs_because, "keep": keep, "may_fade": may_fade}
    return {name: cleaner.line(name, value, SENTENCE_MAX) for name, value in given.items()}


def _tags(tags: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
    good: list[str] = []
    refused: list[tuple[str, str]] = []
    for raw in tags:
        tag = " ".join(raw.split())
        if not tag or len(tag) > TAG_MAX or _CONTROL.search(tag) or any(c in tag for c in ',[]{}"<>'):
            refused.append((raw[:TAG_MAX], "not a word"))
        elif tag.casefold() in CODE_ONLY_TAGS:
            refused.append((tag, "only the distiller may say that a topic came back"))
        elif tag.casefold() in FORGETTING_TAGS:
            refused.append((tag, "a forgetting word: retire or archive the memory instead"))
        else:
            good.append(tag)
    return tuple(dict.fromkeys(good)), tuple(refused)


def _opening(trigger: str) -> str:
    if len(trigger) <= 60:
        return trigger
    cut = trigger[:60]
    return (cut[: cut.rfind(" ")] if " " in cut[20:] else cut).rstrip(" ,;:.") + "…"
