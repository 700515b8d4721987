"""Sessions as OpenCode, Goose and Gemini CLI keep them: databases and files made of plain rows."""

from __future__ import annotations

import json
import sqlite3
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BEGIN = 1740823200000  # 2025-03-01T10:00:00Z in milliseconds
Row = dict[str, Any]


def database(script: str, rows: Mapping[str, Sequence[Sequence[Any]]], page: int = 512) -> bytes:
    """The bytes of a database of these tables and rows, at rest."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        fill(path, script, rows, page)
        return path.read_bytes()


def fill(path: Path, script: str, rows: Mapping[str, Sequence[Sequence[Any]]], page: int = 512) -> None:
    """Make a database at `path`."""
    db = sqlite3.connect(path)
    try:
        db.execute(f"PRAGMA page_size={page}")
        db.executescript(script)
        for table, many in rows.items():
            for row in many:
                db.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(row))})", row)
        db.commit()
    finally:
        db.close()


# --- OpenCode ------------------------------------------------------------------------------------------------------

OPENCODE = """
CREATE TABLE session (id TEXT PRIMARY KEY, project_id TEXT, parent_id TEXT, title TEXT, revert TEXT,
  time_created INTEGER, time_updated INTEGER);
CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT, time_created INTEGER, time_updated INTEGER, data TEXT);
CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT, session_id TEXT, time_created INTEGER, time_updated INTEGER,
  data TEXT);
CREATE INDEX message_session ON message (session_id);
CREATE INDEX part_message ON part (message_id, id);
CREATE INDEX part_session ON part (session_id);
"""


def message(role: str, n: int, done: bool = True, **rest: Any) -> Row:
    """The data of a message that began `n` seconds after the hour."""
    time = {"created": BEGIN + n * 1000}
    if role == "assistant" and done:
        time["completed"] = BEGIN + n * 1000 + 900
    return {"role": role, "time": time, **rest}


def words(text: str, n: int | None = None, done: bool = True, **rest: Any) -> Row:
    """A text part; `n` seconds after the hour where the model wrote it."""
    time = (
        {}
        if n is None
        else {"time": {"start": BEGIN + n * 1000, **({"end": BEGIN + n * 1000 + 5} if done else {})}}
    )
    return {"type": "text", "text": text, **time, **rest}


def tool(name: str, call: str, n: int, output: str | None, **arguments: Any) -> Row:
    """A tool part, completed, or running where there is no output."""
    time = {"start": BEGIN + n * 1000}
    state: Row = {"status": "running", "input": arguments, "time": time}
    if output is not None:
        time["end"] = BEGIN + n * 1000 + 700
        state |= {"status": "completed", "output": output, "title": name, "metadata": {}}
    return {"type": "tool", "callID": call, "tool": name, "state": state}


Turn = tuple[Row, Sequence[Row]]  # a message and its parts

OPENCODE_TURNS: tuple[Turn, ...] = (
    (
        message("user", 1, agent="build"),
        (
            words("アーカイブは遅い disk に置く 🎉"),
            words("Called the Read tool with the following input", synthetic=True),
            {"type": "file", "mime": "text/plain", "url": "file:///w/a.md", "filename": "a.md"},
        ),
    ),
    (
        message("assistant", 2, agent="build"),
        (
            {"type": "step-start"},
            {"type": "reasoning", "text": "hm", "time": {"start": BEGIN + 2000, "end": BEGIN + 2100}},
            words("I will move it.", 3),
            tool("bash", "call_1", 4, "/mnt/disk  91%", command="df -h /mnt/disk"),
            {"type": "step-finish", "reason": "tool-calls"},
        ),
    ),
    (message("user", 5), ({"type": "compaction", "auto": True},)),
    (message("assistant", 6, summary=True), (words("The user agreed to everything.", 6),)),
    (message("user", 7), (words("存档盘已满，禁止写入"),)),
    (message("assistant", 8), (words("Understood: the disk is read-only.", 8),)),
)
OPENCODE_SAID = (
    ("USER", "アーカイブは遅い disk に置く 🎉"),
    ("SELF", "I will move it."),
    ("ACT", "bash\ncommand: df -h /mnt/disk"),
    ("TOOL", "/mnt/disk  91%"),
    ("USER", "存档盘已满，禁止写入"),
    ("SELF", "Understood: the disk is read-only."),
)


def opencode_rows(
    session: str,
    turns: Sequence[Turn] = OPENCODE_TURNS,
    *,
    parent: str | None = None,
    revert: Row | None = None,
) -> dict[str, list[tuple[Any, ...]]]:
    """A session's rows by table. Ids rise with the order, as OpenCode's do."""
    rows: dict[str, list[tuple[Any, ...]]] = {"session": [], "message": [], "part": []}
    at = BEGIN + 9000
    stated = json.dumps(revert) if revert else None
    rows["session"].append((session, "p", parent, "A disk", stated, BEGIN, at))
    for m, (info, parts) in enumerate(turns):
        id_, time = f"msg_{session}_{m:03}", info["time"]["created"]
        rows["message"].append((id_, session, time, time, json.dumps(info, ensure_ascii=False)))
        for n, part in enumerate(parts):
            data = json.dumps(part, ensure_ascii=False)
            rows["part"].append((f"prt_{session}_{m:03}_{n:02}", id_, session, time, time, data))
    return rows


def merged(*many: dict[str, list[tuple[Any, ...]]]) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of several sessions."""
    made: dict[str, list[tuple[Any, ...]]] = {}
    for rows in many:
        for table, some in rows.items():
            made.setdefault(table, []).extend(some)
    return made


def opencode_files(session: str, turns: Sequence[Turn] = OPENCODE_TURNS, **head: Any) -> dict[str, bytes]:
    """The same session as the older storage's files, the session's own first."""
    info = {
        "id": session,
        "projectID": "p",
        "title": "A disk",
        "time": {"created": BEGIN, "updated": BEGIN},
        **head,
    }
    files = {f"storage/session/p/{session}.json": _pretty(info)}
    for m, (data, parts) in enumerate(turns):
        id_ = f"msg_{session}_{m:03}"
        files[f"storage/message/{session}/{id_}.json"] = _pretty({"id": id_, "sessionID": session, **data})
        for n, part in enumerate(parts):
            own = f"prt_{session}_{m:03}_{n:02}"
            files[f"storage/part/{id_}/{own}.json"] = _pretty({"id": own, "messageID": id_, **part})
    return files


def _pretty(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


# --- Goose ---------------------------------------------------------------------------------------------------------

GOOSE = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, name TEXT, session_type TEXT, working_dir TEXT, updated_at TIMESTAMP,
  schedule_id TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT, session_id TEXT, role TEXT,
  content_json TEXT, created_timestamp INTEGER, metadata_json TEXT);
CREATE INDEX messages_session ON messages (session_id);
"""


def spoken(role: str, n: int, *content: Row, visible: bool = True) -> Row:
    """A Goose message."""
    meta = {"userVisible": visible, "agentVisible": True}
    return {"role": role, "created": BEGIN // 1000 + n, "content": list(content), "metadata": meta}


def request(call: str, name: str, **arguments: Any) -> Row:
    return {"type": "toolRequest", "id": call,
            "toolCall": {"status": "success", "value": {"name": name, "arguments": arguments}}}  # fmt: skip


def response(call: str, text: str) -> Row:
    part = {"type": "text", "text": text, "annotations": {"audience": ["assistant"]}}
    shown = {**part, "annotations": {"audience": ["user"], "priority": 0.0}}
    return {"type": "toolResponse", "id": call, "toolResult": {"status": "success", "value": [part, shown]}}


GOOSE_MESSAGES: tuple[Row, ...] = (
    spoken("user", 1, words("その disk は古い importer を使わない")),
    spoken(
        "assistant", 2, {"type": "thinking", "thinking": "h", "signature": "s"}, words("Looking."),
        request("c1", "developer__shell", command="ls /mnt/disk"),
    ),
    spoken("user", 3, response("c1", "archive.tar  91%")),
    spoken("assistant", 4, words("Die Platte ist voll.")),
    spoken("user", 5, words("The conversation so far, in short: the user agreed."), visible=False),
    spoken("user", 6, words("حسنا 🎉")),
)  # fmt: skip
GOOSE_SAID = (
    ("USER", "その disk は古い importer を使わない"),
    ("SELF", "Looking."),
    ("ACT", "developer__shell\ncommand: ls /mnt/disk"),
    ("TOOL", "archive.tar  91%"),
    ("SELF", "Die Platte ist voll."),
    ("USER", "حسنا 🎉"),
)


def goose_rows(
    session: str, messages: Sequence[Row] = GOOSE_MESSAGES, *, kind: str = "user", schedule: str | None = None
) -> dict[str, list[tuple[Any, ...]]]:
    """A session's rows by table; the numbers of the rows are the database's."""
    rows: list[tuple[Any, ...]] = [
        (None, f"m{session}{n}", session, m["role"], json.dumps(m["content"], ensure_ascii=False), m["created"],
         json.dumps(m["metadata"]))
        for n, m in enumerate(messages)
    ]  # fmt: skip
    return {"sessions": [(session, "A disk", kind, "/w", "2025-03-01 10:00:09", schedule)], "messages": rows}


GOOSE_METADATA = {"working_dir": "/w", "description": "A disk", "message_count": 6, "schedule_id": None}

# --- Gemini CLI ----------------------------------------------------------------------------------------------------


def at(n: int) -> str:
    return f"2025-03-01T10:00:{n:02}.000Z"


def turn(kind: str, n: int, content: Any, **rest: Any) -> Row:
    """A message of a Gemini CLI session."""
    return {"id": f"g{n}", "timestamp": at(n), "type": kind, "content": content, **rest}


def call(id_: str, name: str, n: int, output: str | None, **arguments: Any) -> Row:
    made: Row = {"id": id_, "name": name, "args": arguments, "status": "executing", "timestamp": at(n)}
    if output is not None:
        answer = {"functionResponse": {"id": id_, "name": name, "response": {"output": output}}}
        made |= {"status": "success", "result": [answer]}
    return made


GEMINI_HEAD = {"sessionId": "gemini-one", "projectHash": "abc", "startTime": at(0), "lastUpdated": at(9)}
GEMINI_TURNS: tuple[Row, ...] = (
    turn("info", 0, "Update available"),
    turn("user", 1, [{"text": "打开 @disk.md 看看"}, {"text": "\n--- Content from referenced files ---\n"}, {"text": "x"}]),
    turn(
        "gemini", 2, "Das Archiv liegt auf der alten Platte.",
        thoughts=[{"subject": "s", "description": "d", "timestamp": at(2)}],
        toolCalls=[call("t1", "run_shell_command", 3, "/mnt/disk 91%", command="df /mnt/disk")],
    ),
    turn("user", 4, "ディスクを買う 🎉"),
    turn("gemini", 5, "Noted: a new disk."),
)  # fmt: skip
GEMINI_SAID = (
    ("USER", "打开 @disk.md 看看"),
    ("SELF", "Das Archiv liegt auf der alten Platte."),
    ("ACT", "run_shell_command\ncommand: df /mnt/disk"),
    ("TOOL", "/mnt/disk 91%"),
    ("USER", "ディスクを買う 🎉"),
    ("SELF", "Noted: a new disk."),
)
