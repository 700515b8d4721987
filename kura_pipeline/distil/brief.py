"""What an editor is told of a store, read from its files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from kura_pipeline.distil.editor import Brief
from kura_runtime.config.model import StoreConfig
from kura_runtime.gate.attribution import People

ProfileState = Literal["absent", "present", "broken"]
PROFILE_MAX = 20_000  # characters; a profile is a page of sentences, not a dump


def brief_of(cfg: StoreConfig) -> Brief:
    """The brief of a configured store. Raises OSError or UnicodeDecodeError where its charter cannot be read; a broken
    profile is left out (see `read_profile`), for it is learned and may be wrong anyway."""
    profile, _ = read_profile(cfg.path)
    return Brief(
        store=cfg.name,
        language=cfg.language,
        charter=cfg.charter_text(),
        profile=profile,
        people=People(tuple(cfg.people.names)),
        max_items=cfg.distill.max_items,
    )


def read_profile(store: Path) -> tuple[str, ProfileState]:
    """`profile.md` of a store, read after the charter, and the state doctor shows. Broken: unreadable, not UTF-8, blank,
    or longer than a profile can be; then its text is ""."""
    path = store / "profile.md"
    if not path.is_file():
        return "", "absent"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return "", "broken"
    return (text, "present") if text.strip() and len(text) <= PROFILE_MAX else ("", "broken")
