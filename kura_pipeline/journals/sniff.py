"""Which adapters there are, and which of them a file belongs to."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

from kura_pipeline.journals.base import ENTRY_POINTS, Adapter
from kura_runtime.errors import ConfigError

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


@lru_cache(maxsize=1)
def adapters() -> Mapping[str, Adapter]:
    """Every adapter by name: the built-in ones and those of other packages' `kura.journals` entry points.

    An entry point that cannot be loaded is logged and left out; its kind is then unknown, which names it again.
    """
    found: dict[str, Adapter] = {}
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
    if name not in known:
        raise ConfigError(
            f'[distill.journals] "{name}" is no kind of journal; known: {", ".join(sorted(known))}'
        )
    return known[name]


def identify(path: Path, head: bytes) -> tuple[str, ...]:
    """Names of the adapters that know this file by its name and first bytes."""
    return tuple(name for name, one in adapters().items() if one.sniff(path, head))


def _loaded(entry: EntryPoint) -> Adapter | None:
    try:
        made = entry.load()()
    except Exception as error:  # somebody else's code: it must not stop the journals that are well
        log.warning("journal adapter %s (%s) cannot be loaded: %s", entry.name, entry.value, error)
        return None
    if not isinstance(made, Adapter):
        log.warning("journal adapter %s (%s) is no adapter", entry.name, entry.value)
        return None
    return made
