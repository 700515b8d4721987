"""Long-term memory for agents: what is imported to read, serve and write it. The names below are the whole public API.

Nothing is loaded before it is asked for: `import kura_runtime` costs next to nothing, and no part of it loads the pipeline.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kura_runtime.api import Kura as Kura
    from kura_runtime.api import StoreHandle as StoreHandle
    from kura_runtime.api import open as open  # noqa: A004
    from kura_runtime.domain.memory import Memory as Memory
    from kura_runtime.errors import BadInput as BadInput
    from kura_runtime.errors import ConfigError as ConfigError
    from kura_runtime.errors import KuraError as KuraError
    from kura_runtime.errors import ModelUnavailable as ModelUnavailable
    from kura_runtime.errors import StoreDamaged as StoreDamaged
    from kura_runtime.errors import UnknownMemory as UnknownMemory
    from kura_runtime.errors import UnknownStore as UnknownStore
    from kura_runtime.errors import WriteRefused as WriteRefused
    from kura_runtime.recall.reply import Reply as Reply

_HOMES = {
    "kura_runtime.api": ("open", "Kura", "StoreHandle"),
    "kura_runtime.domain.memory": ("Memory",),
    "kura_runtime.recall.reply": ("Reply",),
    "kura_runtime.errors": (
        "BadInput", "ConfigError", "KuraError", "ModelUnavailable", "StoreDamaged", "UnknownMemory", "UnknownStore",
        "WriteRefused",
    ),
}  # fmt: skip
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(home), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME_OF})
