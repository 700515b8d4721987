"""The index made anew from the pages, where somebody deleted it: every memory has its line again, under its heading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kura_runtime.errors import StoreDamaged
from kura_runtime.store import history
from kura_runtime.store.index_file import IndexLine, edited

if TYPE_CHECKING:
    from kura_runtime.store.store import Store


def lost_index(store: Store) -> bool:
    """Is the index gone or empty, although there are pages?"""
    stamp = store.layout.index_stamp(store.path)
    return (not stamp or stamp[-1] == 0) and bool(store.layout.scan(store.path).held)


def rebuilt(store: Store) -> tuple[str, str]:
    """(the index's text, a notice for whoever asked for the change).

    Memories stand in the order in which they came, each under the heading it was given, else under its type; both are
    read from the history. A page that cannot be read keeps a line made of its slug. Depends on the files alone.
    """
    survey = store.reader.survey()
    damaged = {e.path for e in survey.damaged}
    found: list[tuple[int, str, str, IndexLine]] = []
    unreadable = 0
    for slug, holding in store.layout.scan(store.path).held.items():
        first, heading = _said(store, slug)
        page = survey.pages.get(slug)
        if page is None:
            if str(holding.path) not in damaged and not first:
                continue  # a text that no door wrote and that does not call itself a memory
            unreadable += 1
            line = IndexLine(slug, slug.rsplit("/", 1)[-1].replace("-", " "), "")
        else:
            line = IndexLine(slug, page.memory.title, page.memory.trigger)
            heading = heading or page.memory.type.capitalize()
        found.append((first, slug, heading or "Unreadable", line))
    text = b"".join(op.data for op in store.layout.founding(store.name)).decode("utf-8")
    text = edited(text, {slug: (heading, line) for _, slug, heading, line in sorted(found)})
    said = f"the index was gone; it was rebuilt from {len(found)} pages"
    if unreadable:
        said += f", {unreadable} of them unreadable"
    return text, said


def _said(store: Store, slug: str) -> tuple[int, str]:
    """The revision in which the memory came (0 where nothing says), and the heading it was last given."""
    try:
        entries = history.read(store.path / store.layout.history_path(slug))
    except StoreDamaged:
        return 0, ""
    first, heading = 0, ""
    for entry in entries:
        was = entry.get("was")
        given = entry.get("heading") or (was.get("heading") if isinstance(was, dict) else "")
        heading = given if isinstance(given, str) and given else heading
        revision = entry.get("revision")
        first = first or (revision if isinstance(revision, int) else 0)
    return first, heading
