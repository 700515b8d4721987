"""What `kura hooks` changes in the files of a host: the MCP entry, and a hook that prints the map when a session starts.

Only these two are added, changed or taken away; everything else in the files stays, in its order.
"""

from __future__ import annotations

import difflib
import json
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import tomlkit
from tomlkit.exceptions import TOMLKitError

from kura_runtime.errors import ConfigError

Host = Literal["claude-code", "codex"]
NAME = "kura"
_OURS = re.compile(r"\bkura(?:\.exe)?['\"]?\s.*\bhooks print\b")
HOOK_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Edit:
    """One file: its text before ("" where there is none) and after (None: nothing would be left, so it goes)."""

    path: Path
    before: str
    after: str | None

    @property
    def changes(self) -> bool:
        return (self.after or "") != self.before

    def diff(self) -> str:
        """A unified diff for a person."""
        lines = difflib.unified_diff(
            self.before.splitlines(),
            (self.after or "").splitlines(),
            str(self.path),
            str(self.path),
            lineterm="",
        )
        return "\n".join(lines)

    def write(self) -> None:
        """Write beside the file, then rename; a file of which nothing is left is removed."""
        if self.after is None:
            self.path.unlink(missing_ok=True)
            return
        self.path.parent.mkdir(parents=True, exist_ok=True)
        target = self.path.resolve()  # a link into a folder of dotfiles stays one
        beside = target.with_name(target.name + ".kura-new")
        with beside.open("w", encoding="utf-8", newline="") as out:
            out.write(self.after)
            out.flush()
            os.fsync(out.fileno())
        if target.exists():
            beside.chmod(target.stat().st_mode & 0o7777)
        beside.replace(target)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the host shall run: the `kura` command, the configuration, and the store that the agent is bound to ("" for none)."""

    kura: str
    config: Path
    store: str = ""

    def server(self) -> dict[str, Any]:
        """The MCP entry."""
        return {
            "command": self.kura,
            "args": ["mcp", "-c", str(self.config), *(["-s", self.store] if self.store else [])],
        }

    def hook(self) -> str:
        """The command line of the hook."""
        return shlex.join(
            [self.kura, "hooks", "print", "-c", str(self.config), *(["-s", self.store] if self.store else [])]
        )


def edits(host: Host, root: Path, *, user: bool, wanted: Wanted | None) -> list[Edit]:
    """The edits that install `wanted`, or with None take away what was installed. `root` is the project's folder, or with
    `user` the home folder. Raises ConfigError for a file that cannot be read as what it must be."""
    if host == "claude-code":
        servers = root / (".claude.json" if user else ".mcp.json")
        return [
            _json(servers, lambda data: _set_server(data, "mcpServers", wanted)),
            _json(
                root / ".claude" / "settings.json",
                lambda data: _set_hook(data, wanted, "startup|resume|clear|compact"),
            ),
        ]
    return [
        _toml(root / ".codex" / "config.toml", lambda data: _set_server(data, "mcp_servers", wanted)),
        _json(
            root / ".codex" / "hooks.json",
            lambda data: _set_hook(data, wanted, "startup|resume|clear|compact"),
        ),
    ]


def _set_server(data: Any, table: str, wanted: Wanted | None) -> None:
    servers = data.get(table)
    if servers is not None and not isinstance(servers, dict):
        raise ValueError(f"{table} is no table")
    if wanted is None:
        if servers is not None and servers.pop(NAME, None) is not None and not servers:
            del data[table]
        return
    if servers is None:
        data[table] = tomlkit.table(is_super_table=True) if isinstance(data, tomlkit.TOMLDocument) else {}
        servers = data[table]
    entry: Any = wanted.server()
    if isinstance(data, tomlkit.TOMLDocument):
        table_ = tomlkit.table()
        table_.update(entry)
        entry = table_
    servers[NAME] = entry


def _set_hook(data: Any, wanted: Wanted | None, matcher: str) -> None:
    hooks = data.setdefault("hooks", {})
    if not isinstance(hooks, dict) or not isinstance(hooks.get("SessionStart", []), list):
        raise ValueError("hooks.SessionStart is no list")
    kept = []
    for group in hooks.get("SessionStart", []):
        own = isinstance(group, dict) and isinstance(group.get("hooks"), list)
        left = [h for h in group["hooks"] if not _is_ours(h)] if own else None
        if left is None or left == group["hooks"]:
            kept.append(group)
        elif left:
            kept.append({**group, "hooks": left})
    if wanted is not None:
        command = {"type": "command", "command": wanted.hook(), "timeout": HOOK_SECONDS}
        kept.append({"matcher": matcher, "hooks": [command]})
    if kept:
        hooks["SessionStart"] = kept
    else:
        hooks.pop("SessionStart", None)
    if not hooks:
        del data["hooks"]


def _is_ours(hook: Any) -> bool:
    return (
        isinstance(hook, dict)
        and isinstance(hook.get("command"), str)
        and bool(_OURS.search(hook["command"]))
    )


def _json(path: Path, change: Any) -> Edit:
    before = _text(path)
    try:
        data = json.loads(before) if before.strip() else {}
        if not isinstance(data, dict):
            raise ValueError("it holds no object")
        old = json.dumps(data)
        change(data)
    except ValueError as error:
        raise ConfigError(
            f"{path}: not the JSON that the host reads ({error}); mend it first, nothing was changed"
        ) from None
    if json.dumps(data) == old:
        return Edit(path, before, before or None)
    return Edit(path, before, json.dumps(data, ensure_ascii=False, indent=2) + "\n" if data else None)


def _toml(path: Path, change: Any) -> Edit:
    before = _text(path)
    try:
        document = tomlkit.parse(before)
        change(document)
    except (TOMLKitError, ValueError) as error:
        raise ConfigError(
            f"{path}: not the TOML that the host reads ({error}); mend it first, nothing was changed"
        ) from None
    after = tomlkit.dumps(document)
    if len(after) < len(before):  # the blank line that stood before what was taken away goes with it
        after = after.rstrip("\n") + "\n"
    return Edit(path, before, after if after.strip() else None)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}; nothing was changed") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
