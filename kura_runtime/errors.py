"""The one tree of errors. Each names the thing, the value and the way out."""

from __future__ import annotations


class KuraError(Exception):
    """Base of everything this project raises on purpose. `exit_code` is what the CLI ends with."""

    exit_code = 1


class ConfigError(KuraError):
    """kura.toml (or the command line) cannot be used as it stands. Nothing was started."""

    exit_code = 64


class UnknownStore(KuraError):
    """No store or mode of this name; there is never a default."""

    exit_code = 64

    def __init__(self, name: str, known: list[str], file: object = "kura.toml") -> None:
        self.name, self.known = name, known
        if not known:
            said = f"{file} names no store yet; run `kura init NAME --path DIR`"
        elif not name:
            said = f"{file} names {len(known)} stores: {', '.join(known)}; name one with -s"
        else:
            said = f'unknown store or mode "{name}"; known: {", ".join(known)}'
        super().__init__(said)


class UnknownMemory(KuraError):
    """The slug is not in the set of slugs the store holds."""

    def __init__(self, store: str, slug: str, near: list[str] | None = None) -> None:
        self.store, self.slug, self.near = store, slug, near or []
        hint = f"; near: {', '.join(self.near)}" if self.near else ""
        super().__init__(f'store "{store}" holds no memory "{slug}"{hint}')


class WriteRefused(KuraError):
    """A door stayed shut. `policy` is the store's write policy, `reason` says which rule refused."""

    def __init__(self, policy: str, reason: str) -> None:
        self.policy, self.reason = policy, reason
        super().__init__(f"write refused (write_policy {policy}): {reason}")


class BadInput(KuraError):
    """A caller's value is unusable; `field` names it."""

    exit_code = 64

    def __init__(self, field: str, message: str) -> None:
        self.field = field
        super().__init__(f"{field}: {message}")


class StoreDamaged(KuraError):
    """A file of the store does not read as what it must be. It was left as it is."""

    def __init__(self, path: object, message: str) -> None:
        self.path = str(path)
        super().__init__(f"{path}: {message}")


class JournalUnreadable(KuraError):
    """One journal cannot be read; the others go on. `offset` is the byte where reading stopped."""

    def __init__(self, path: object, reason: str, offset: int | None = None) -> None:
        self.path, self.reason, self.offset = str(path), reason, offset
        at = f" at byte {offset}" if offset is not None else ""
        super().__init__(f"{path}{at}: {reason}")


class ModelUnavailable(KuraError):
    """A model gave no usable answer. `kind`: unreachable, timeout, http, empty, truncated, reasoning-only,
    malformed. An outage is never a verdict."""

    def __init__(self, role: str, kind: str, message: str = "") -> None:
        self.role, self.kind = role, kind
        super().__init__(f"model for role {role}: {kind}{': ' + message if message else ''}")


class StoreUnwritable(KuraError):
    """The store's folder takes no writes: disk full, read-only, no permission. The message says what state is left."""

    def __init__(self, path: object, message: str) -> None:
        self.path = str(path)
        super().__init__(f"{path}: {message}")


class StoreBusy(KuraError):
    """Another process holds the store's lock for longer than we wait. Nothing was changed; try again."""


class DraftQuarantined(WriteRefused):
    """A draft without the gate's valid mark. It was moved to the quarantine, never judged; `path` is where it lies now."""

    def __init__(self, policy: str, reason: str, path: object) -> None:
        self.path = str(path)
        super().__init__(policy, reason)


class FloorRefused(WriteRefused):
    """The surface floor found something in a draft's own text. `refusals` names each."""

    def __init__(self, policy: str, reason: str, refusals: tuple[object, ...]) -> None:
        self.refusals = refusals
        super().__init__(policy, reason)
