"""Weave the index into the map an agent wears: pinned and fresh lines whole, every other line trimmed, none lost."""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import KuraError
from kura_runtime.recall.framing import one_line
from kura_runtime.resident.cloth import (
    Cloth,
    ClothLine,
    IndexEntry,
    Layer,
    broken_lines,
    digest,
    index_digest,
    line_text,
)
from kura_runtime.resident.trim import trim
from kura_runtime.text.tokens import estimate

if TYPE_CHECKING:
    from kura_runtime.config.model import PrefillConfig

CLOTH, CLOTH_JSON = Path("_still") / "cloth.md", Path("_still") / "cloth.json"
WINDOWS = (14, 7, 5, 3, 2, 1, 0)  # days of the fresh layer that are tried, from the configured one downwards
SHARED = 0.2  # an mtime on a day that so many memories share was set by a copy, not by a change


class WeaveBroken(KuraError):
    """A map would have lost, reordered, doubled or invented a line. It was not written."""


class Indexed(Protocol):
    """What weaving needs of a store."""

    @property
    def name(self) -> str: ...

    @property
    def path(self) -> Path: ...

    @property
    def revision(self) -> int: ...

    def index(self) -> Any:
        """`.sections`: (heading, lines) in order."""
        ...

    def memories(self) -> Sequence[Memory]: ...


class TriggerSource(Protocol):
    """Shorter cues written by the scribe and passed by the surface floor."""

    def cue(self, slug: str, trigger: str, tokens: int) -> str | None:
        """The cue for this very line and budget, or None where there is none."""
        ...


def weave(
    store: Indexed,
    prefill_cfg: PrefillConfig,
    *,
    triggers: TriggerSource | None = None,
    today: date | None = None,
    write: bool = True,
) -> Cloth:
    """The map of a store; with `write` also laid into `_still/cloth.md` and `cloth.json`, where it differs from what lies there.

    `today` (default: the UTC day) decides what is fresh; the bytes depend on it and on the store alone. Where the map is over
    `budget_fraction` of the window, the fresh layer is narrowed day by day; where that does not help, `note` says so.
    Raises WeaveBroken: then nothing was written.
    """
    day = today or datetime.now(UTC).date()
    sections = _sections(store)
    memories = {m.slug: m for m in store.memories()}
    dates = dates_of(store, memories, day)
    budget = int(prefill_cfg.window_tokens * prefill_cfg.budget_fraction)
    settings = settings_digest(prefill_cfg)
    cloth: Cloth | None = None
    for days in [d for d in (prefill_cfg.fresh_days, *WINDOWS) if d <= prefill_cfg.fresh_days]:
        candidate = _cut_to(store, sections, memories, dates, prefill_cfg, triggers, day, days)
        if cloth is None or candidate.tokens < cloth.tokens:
            cloth = candidate
        if cloth.tokens <= budget:
            break
    assert cloth is not None
    if cloth.tokens > budget:
        cloth = replace(cloth, note=_where_the_weight_is(cloth, budget))
    cloth = replace(cloth, settings=settings)
    if write:
        _write(store.path, cloth)
    return cloth


def lines_lost(store: Indexed, cloth: Cloth) -> list[str]:
    """What the map does not show as the index has it; empty for a good one."""
    sections = _sections(store)
    composed = frozenset(line.slug for line in cloth.lines if line.layer == "trigger")
    return broken_lines(sections, cloth.text, composed)


def woven_revision(store_path: Path | str) -> int | None:
    """The revision that the map on disk stands for, or None where there is no usable one."""
    try:
        text = (Path(store_path) / CLOTH).read_text(encoding="utf-8")
        said = json.loads((Path(store_path) / CLOTH_JSON).read_text(encoding="utf-8"))
        value, whole = said["revision"], said["etag"] == digest(text)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return value if whole and isinstance(value, int) else None


def read_cloth(store: Indexed, prefill_cfg: PrefillConfig) -> Cloth | None:
    """The map on disk, if it is whole and was woven from this very index, revision and settings; else None. Proven by
    hashes, never by a file's age."""
    try:
        text = (store.path / CLOTH).read_text(encoding="utf-8")
        raw = json.loads((store.path / CLOTH_JSON).read_text(encoding="utf-8"))
        lines = tuple(ClothLine(*line) for line in raw.pop("lines"))
        sectors = tuple((str(h), int(n)) for h, n in raw.pop("sectors"))
        cloth = Cloth(text=text, lines=lines, sectors=sectors, **raw)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    whole = digest(text) == cloth.etag and cloth.store == store.name
    same = cloth.revision == store.revision and cloth.settings == settings_digest(prefill_cfg)
    return cloth if whole and same and cloth.source == index_digest(_sections(store)) else None


def settings_digest(cfg: PrefillConfig) -> str:
    """The hash of the settings that shape a map."""
    told = [
        cfg.window_tokens,
        cfg.budget_fraction,
        cfg.fresh_days,
        list(cfg.pinned_types),
        cfg.trigger_tokens,
    ]
    return digest(json.dumps(told))[:16]


# --- one candidate ------------------------------------------------------------------------------------------------------


def _cut_to(
    store: Indexed,
    sections: list[tuple[str, list[IndexEntry]]],
    memories: dict[str, Memory],
    dates: dict[str, date | None],
    cfg: PrefillConfig,
    triggers: TriggerSource | None,
    today: date,
    fresh_days: int,
) -> Cloth:
    since = today - timedelta(days=fresh_days)
    lines: list[ClothLine] = []
    text: list[str] = []
    composed: set[str] = set()
    sectors: list[tuple[str, int]] = []
    for heading, entries in sections:
        if heading:
            text += ([""] if text else []) + [f"## {one_line(heading)}", ""]
        sectors.append((one_line(heading), len(entries)))
        for entry in entries:
            memory, when = memories.get(entry.slug), dates.get(entry.slug)
            layer: Layer = "trigger"
            if memory is not None and memory.type in cfg.pinned_types:
                layer = "pinned"
            elif fresh_days and when is not None and when > since:
                layer = "fresh"
            told = entry.trigger
            if layer == "trigger":
                cue = triggers.cue(entry.slug, told, cfg.trigger_tokens) if triggers is not None else None
                if cue is not None:
                    composed.add(entry.slug)
                told = cue if cue is not None else trim(one_line(told), cfg.trigger_tokens)
            line = line_text(entry.title, entry.slug, told)
            text.append(line)
            lines.append(ClothLine(entry.slug, layer, line, when.isoformat() if when else ""))
    whole = "\n".join(text) + "\n" if text else ""
    problems = broken_lines(sections, whole, frozenset(composed))
    if problems:
        raise WeaveBroken(
            f"the map of {store.name} would not hold the index: {'; '.join(problems[:5])}; it was not written"
        )
    return Cloth(
        store=store.name, revision=store.revision, text=whole, etag=digest(whole), source=index_digest(sections),
        lines=tuple(lines), sectors=tuple(sectors), tokens=estimate(whole), fresh_days=fresh_days, today=today.isoformat(),
        settings="",
    )  # fmt: skip


def _where_the_weight_is(cloth: Cloth, budget: int) -> str:
    weight: Counter[str] = Counter()
    for line in cloth.lines:
        weight[line.layer] += estimate(line.text)
    heaviest, tokens = weight.most_common(1)[0]
    return f"{cloth.tokens} tokens, {budget} asked: no setting reaches it; the {heaviest} layer holds {tokens} of them"


def _sections(store: Indexed) -> list[tuple[str, list[IndexEntry]]]:
    return [(heading, list(entries)) for heading, entries in store.index().sections if entries]


# --- how old a memory is -----------------------------------------------------------------------------------------------------

_ISO = re.compile(r"(?<![\d-])(\d{4})-(\d{2})-(\d{2})(?![\d-])")


def dates_of(store: Indexed, memories: dict[str, Memory], today: date) -> dict[str, date | None]:
    """The day each memory was last changed: its own `updated` or `created`, else the newest date in its text, else its file's
    mtime, unless a fifth of the store shares that day. A date after `today` says nothing. None where nothing says."""
    found: dict[str, date | None] = {}
    undated: dict[str, date] = {}
    for slug, memory in memories.items():
        own = _day(memory.updated, today) or _day(memory.created, today) or _newest_in(memory, today)
        found[slug] = own
        if own is None:
            with contextlib.suppress(OSError, ValueError):
                when = (store.path / f"{slug}.md").stat().st_mtime
                undated[slug] = datetime.fromtimestamp(when, UTC).date()
    shared = Counter(undated.values())
    for slug, day in undated.items():
        alone = shared[day] < max(2, SHARED * len(memories))
        found[slug] = day if alone and day <= today else None
    return found


def _day(text: str, today: date) -> date | None:
    match = _ISO.match(text.strip()[:10])
    if match is None:
        return None
    with contextlib.suppress(ValueError):
        day = date(*map(int, match.groups()))
        return day if day <= today else None
    return None


def _newest_in(memory: Memory, today: date) -> date | None:
    text = f"{memory.trigger}\n{memory.summary}"
    days = [day for m in _ISO.finditer(text) if (day := _day(m.group(), today)) is not None]
    return max(days, default=None)


def _write(store_path: Path, cloth: Cloth) -> None:
    """Both files, the text first: a reader that sees the one without the other finds hashes that do not match."""
    for name, content in (
        (CLOTH, cloth.text),
        (CLOTH_JSON, json.dumps(cloth.to_json(), ensure_ascii=False, indent=1) + "\n"),
    ):
        file = store_path / name
        data = content.encode("utf-8", "surrogatepass")
        with contextlib.suppress(OSError):
            if file.read_bytes() == data:
                continue
        file.parent.mkdir(parents=True, exist_ok=True)
        handle, beside = tempfile.mkstemp(prefix=f".{file.name}-", dir=file.parent)
        try:
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            Path(beside).chmod(0o644)
            Path(beside).replace(file)
        except BaseException:
            Path(beside).unlink(missing_ok=True)
            raise
