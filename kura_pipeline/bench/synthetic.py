"""A journal for benches: rows in the shape of Claude's sessions, from a fixed seed, as many as are wanted.

The mix follows recorded sessions, which were counted: 500 to 1,100 events in a million bytes, a tenth to a quarter of the
bytes being text that is kept, the result of a tool standing twice in its row, a fifth of the kept text not ASCII, one
text in ten said before. Words are as unevenly common as in real text, and one in fifty is new (a hash, a number).
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

SEED = 11
SESSION = "bench-0000-4000-8000-000000000001"
# of a hundred rows
MIX = {"progress": 20, "tool": 31, "act": 31, "self": 14, "user": 4}
# characters: the least, the most, and how rare the long ones are
_SIZES = {"progress": (60, 1500, 5), "tool": (30, 7000, 8), "act": (30, 4000, 9), "self": (40, 1200, 7), "user": (20, 900, 6)}  # fmt: skip
_BEGUN = datetime(2026, 1, 1, tzinfo=UTC)
_SIGNS = ("✓", "→", "—", "…", "│", "●", "✅")
_TOOLS = ("Bash", "Read", "Edit", "Grep", "TodoWrite")


class Said(NamedTuple):
    """One text: who speaks (user, self, act, tool, progress), what, and the milliseconds since the session began."""

    kind: str
    text: str
    at: int


def write_journal(path: Path, size: int) -> int:
    """Write rows until `size` bytes stand in the file, and return how many bytes that are. The same size is the same file."""
    written = 0
    with path.open("wb") as out:
        for row in rows():
            out.write(row)
            written += len(row)
            if written >= size:
                return written
    return written


def rows() -> Iterator[bytes]:
    """Rows without an end, one JSON object a line."""
    rng = random.Random(SEED + 1)  # noqa: S311
    parent = None
    for number, said in enumerate(texts()):
        uuid = f"{rng.getrandbits(64):016x}-{number:08x}"
        row = _row(said, uuid, parent, number)
        yield json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
        if said.kind != "progress":
            parent = uuid


def texts(seed: int = SEED) -> Iterator[Said]:
    """Texts without an end; one in fifty holds a (made-up) secret, one in sixteen is Chinese or Japanese."""
    rng = random.Random(seed)  # noqa: S311  a fixed mix, not a secret
    lines, foreign = _Lines(rng, _words(rng), " "), _Lines(rng, _foreign_words(rng), "")
    stock = {kind: [lines.text(_size(rng, kind)) for _ in range(40)] for kind in MIX}
    kinds, weights = list(MIX), list(MIX.values())
    at = 0
    for _ in range(sys.maxsize):
        kind = rng.choices(kinds, weights)[0]
        at += rng.randint(20, 4000)
        chance = rng.random()
        if chance < 0.1:
            text = rng.choice(stock[kind])
        elif chance < 0.16:
            text = foreign.text(_size(rng, kind) // 2)
        else:
            text = lines.text(_size(rng, kind))
            if chance < 0.23:
                text = f"{rng.choice(_SIGNS)} {text}"
            elif chance > 0.98 and kind != "progress":
                text += "\n" + secret(rng)
        yield Said(kind, text, at)


def secret(rng: random.Random) -> str:
    """An assignment of a key that opens nothing."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    return "token = ghp_" + "".join(rng.choice(letters) for _ in range(36))


class _Lines:
    """A stock of lines from which texts are put together."""

    def __init__(self, rng: random.Random, words: Sequence[str], gap: str) -> None:
        self._rng = rng
        weights = list(accumulate(1 / (i + 3) for i in range(len(words))))
        self._lines = [
            gap.join(rng.choices(words, cum_weights=weights, k=rng.randint(4, 14))) for _ in range(20_000)
        ]
        self._mean = sum(map(len, self._lines)) / len(self._lines) + 4

    def text(self, size: int) -> str:
        """About `size` characters; one line in four carries something never said before."""
        picked = self._rng.choices(self._lines, k=max(1, round(size / self._mean)))
        for i in range(self._rng.randrange(4), len(picked), 4):
            picked[i] += f" {self._rng.getrandbits(28):x}"
        return "\n".join(picked)


def _size(rng: random.Random, kind: str) -> int:
    least, most, rare = _SIZES[kind]
    return int(least + (most - least) * rng.random() ** rare)


def _words(rng: random.Random) -> list[str]:
    plain = ["".join(rng.choices("etaoinshrdlucmfwypvbgk", k=rng.randint(2, 9))) for _ in range(15_000)]
    some = iter(rng.sample(plain, 9_000))
    for i in range(4, len(plain), 10):
        shapes = ("src/{a}/{b}.py:{n}", "{a}_{b}", "{a}.{b}()", "{a}-{b}", "{n}", "ERR_{a}-{n}")
        shape = shapes[i // 10 % len(shapes)]
        plain[i] = shape.format(a=next(some), b=next(some), n=rng.randint(1, 9999))
    return plain


def _foreign_words(rng: random.Random) -> list[str]:
    han = [chr(rng.randint(0x4E00, 0x9FA0)) for _ in range(1500)]
    kana = [chr(c) for c in range(0x30A2, 0x30F0)]
    made = []
    for i in range(4_000):
        signs, most = (han, 3) if i % 3 else (kana, 5)
        made.append("".join(rng.choices(signs, k=rng.randint(1, most))))
    return made


def _row(said: Said, uuid: str, parent: str | None, number: int) -> dict[str, Any]:
    at = (_BEGUN + timedelta(milliseconds=said.at)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    row: dict[str, Any] = {
        "parentUuid": parent, "isSidechain": False, "userType": "external", "cwd": "/home/dev/ledger",
        "sessionId": SESSION, "version": "2.1.14", "gitBranch": "main", "slug": "steady-stirring-dragon",
    }  # fmt: skip
    call = f"toolu_01{number // 4:022d}"
    if said.kind == "progress":
        row |= {"type": "progress", "data": {"type": "bash_progress", "output": said.text}, "toolUseID": call}
    elif said.kind == "user":
        row |= {"type": "user", "message": {"role": "user", "content": said.text}}
    elif said.kind == "tool":
        block = {"tool_use_id": call, "type": "tool_result", "content": said.text, "is_error": False}
        row |= {
            "type": "user", "message": {"role": "user", "content": [block]},
            "toolUseResult": {"stdout": said.text, "stderr": "", "interrupted": False, "isImage": False},
        }  # fmt: skip
    else:
        row |= _of_the_model(said, call, number)
    return row | {"uuid": uuid, "timestamp": at}


def _of_the_model(said: Said, call: str, number: int) -> dict[str, Any]:
    block: dict[str, Any] = {"type": "text", "text": said.text}
    if said.kind == "act":
        block = {"type": "tool_use", "id": call, "name": _TOOLS[number % 5], "input": {"command": said.text}}
    cached = {"ephemeral_5m_input_tokens": 2170, "ephemeral_1h_input_tokens": 0}
    usage = {
        "input_tokens": 1, "cache_creation_input_tokens": 2170, "cache_read_input_tokens": 18604,
        "cache_creation": cached, "output_tokens": number % 900, "service_tier": "standard",
    }  # fmt: skip
    message = {
        "model": "claude-opus-4-5-20251101", "id": f"msg_01{number:022d}", "type": "message", "role": "assistant",
        "content": [block], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    return {"message": message, "requestId": f"req_01{number:022d}", "type": "assistant"}
