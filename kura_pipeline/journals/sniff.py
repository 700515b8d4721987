"""Which adapters there are, and which of them a file belongs to."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from kura_pipeline.journals.base import ENTRY_POINTS, Adapter
from kura_pipeline.journals.guarded import guarded
from kura_pipeline.journals.jsonl import first_objects
from kura_runtime.errors import ConfigError, JournalUnreadable

log = logging.getLogger(__name__)

# Those that ship with the package are known without their entry points, so that a checkout works before it is installed.
_BUILT_IN = {
    "claude": "kura_pipeline.journals.claude:Claude",
    "pi": "kura_pipeline.journals.pi:Pi",
    "text": "kura_pipeline.journals.text:Text",
    "codex": "kura_pipeline.journals.codex:Codex",
    "dsh": "kura_pipeline.journals.dsh:Dsh",
    "lna": "kura_pipeline.journals.lna:Lna",
    "openai": "kura_pipeline.journals.openai:OpenAi",
    "opencode": "kura_pipeline.journals.opencode:OpenCode",
    "goose": "kura_pipeline.journals.goose:Goose",
    "gemini": "kura_pipeline.journals.gemini:Gemini",
}
_UNLOADABLE: dict[str, str] = {}
# What the first row of a journal may look like, to find where another one begins in the same file.
_BEGINNINGS, _MARKS = (
    ("session", "session_meta", "run"),
    {"parentUuid", "projectHash", "working_dir", "entries"},
)


@lru_cache(maxsize=1)
def adapters() -> Mapping[str, Adapter]:
    """Every adapter by name: the built-in ones and those of other packages' `kura.journals` entry points.

    An entry point that cannot be loaded is logged and left out; whoever asks for its kind is told why (`unloadable`).
    """
    found: dict[str, Adapter] = {}
    _UNLOADABLE.clear()
    for name, target in _BUILT_IN.items():
        module, _, attribute = target.partition(":")
        found[name] = getattr(import_module(module), attribute)()
    for entry in entry_points(group=ENTRY_POINTS):
        if entry.name not in found:
            made = _loaded(entry)
            if made is not None:
                found[entry.name] = made
    return found


def adapter(name: str) -> Adapter:
    """The adapter of this name. Raises ConfigError with the known names."""
    known = adapters()
    if name in _UNLOADABLE:
        raise ConfigError(f"[distill.journals] {_UNLOADABLE[name]}")
    if name not in known:
        raise ConfigError(
            f'[distill.journals] "{name}" is no kind of journal; known: {", ".join(sorted(known))}'
        )
    return known[name]


def unloadable() -> Mapping[str, str]:
    """Adapters of other packages that cannot be used: their name, and why in one line."""
    adapters()
    return dict(_UNLOADABLE)


def identify(path: Path, head: bytes, failed: dict[str, str] | None = None) -> tuple[str, ...]:
    """Names of the adapters that know this file by its name and first bytes. `failed` gets those that failed on it, and
    why: an adapter of another package may."""
    names = []
    for name, one in adapters().items():
        try:
            if one.sniff(path, head):
                names.append(name)
        except JournalUnreadable as error:
            log.warning("%s", error)
            if failed is not None:
                failed[name] = error.reason
    return tuple(names)


def mixed_with(path: Path, head: bytes, kind: str) -> tuple[str, ...]:
    """Names of other formats that begin further down in the file's first rows: two journals in one file."""
    found: dict[str, None] = {}
    own, at = adapters()[kind], head.find(b"\n") + 1
    while 0 < at < len(head):
        upto = head.find(b"\n", at) + 1 or len(head)
        for row in first_objects(head[at:upto], 1):
            begins = row.get("type") in _BEGINNINGS or not _MARKS.isdisjoint(row)
            if begins and not _knows(own, path, head[at:upto]):
                found.update(dict.fromkeys(n for n in identify(path, head[at:]) if n != kind))
        at = upto
    return tuple(found)


def _knows(one: Adapter, path: Path, head: bytes) -> bool:
    try:
        return one.sniff(path, head)
    except JournalUnreadable:
        return False


def _loaded(entry: EntryPoint) -> Adapter | None:
    try:
        made = entry.load()()
    except Exception as error:  # somebody else's code: it must not stop the journals that are well
        _refused(entry, f"cannot be loaded ({type(error).__name__}: {' '.join(str(error).split())})")
        return None
    if not isinstance(made, Adapter):
        _refused(entry, "is no adapter: it lacks a part of the protocol (docs/adapters.md)")
        return None
    if made.name != entry.name:
        _refused(entry, f"calls itself {made.name!r}; the entry point and the adapter must agree")
        return None
    return guarded(made)


def _refused(entry: EntryPoint, reason: str) -> None:
    _UNLOADABLE[entry.name] = f"the adapter {entry.name} ({entry.value}) {reason}"
    log.warning("%s", _UNLOADABLE[entry.name])
