"""What was handed out, so that it is never taken for evidence when it comes back in a journal; and the read log.

Every serving path notes its texts here. Notes go through a bounded queue to one thread of this process, which appends
them in batches to its own files: `_kura/log/served-<pid>-<start>.jsonl` (hashes of sentences) and `recall-…jsonl` (which
question by its hash, how, what was picked, how long). A reply never waits for any of this and never fails because of it:
what cannot be kept is dropped and counted.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import logging
import os
import re
import threading
import time
import weakref
from collections import deque
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

_JOINT = re.compile(" — |… ?")

log = logging.getLogger(__name__)

QUEUE = 4096  # notes held in memory; more than that are dropped and counted
GENTLE = 9.0  # the writing thread rests nine times as long as it hashed
PAUSE = 0.2  # seconds that notes are gathered before they are written
FOLDER = Path("_kura") / "log"


class ServedLog:
    """The notes of one process about one store. Safe to use from several threads."""

    def __init__(self, store_path: Path, *, keep_questions: bool = False, queue: int = QUEUE) -> None:
        self._folder = Path(store_path) / FOLDER
        self._metrics = Path(store_path) / "_still" / "metrics.jsonl"
        self._keep_questions = keep_questions
        self._notes: deque[tuple[str, Any]] = deque()
        self._size = queue
        self._wake = threading.Event()
        self._writing = threading.Lock()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None
        self._written: set[str] = set()
        self._noted: set[str] = set()  # texts noted before: the same memory is served many times
        self._name = ""
        self.dropped = 0
        self.failure = ""  # why notes were dropped, in the system's own words
        _OPEN.add(self)

    def served(self, *texts: str) -> None:
        """Note texts that go out to an agent. A text noted before costs one lookup."""
        for text in texts:
            if text not in self._noted:
                if len(self._noted) >= self._size:
                    self._noted.clear()
                self._noted.add(text)
                self._note("served", text)

    def asked(self, question: str, *, how: str, picked: Iterable[str], ms: float) -> None:
        """Note one recall (or a read: `how` "read", "glance")."""
        self._note("asked", (question, how, tuple(picked), ms, time.time()))

    def measured(self, figures: dict[str, Any]) -> None:
        """Note figures of a turn (plain numbers), for `_still/metrics.jsonl`."""
        self._note("metrics", (time.time(), figures))

    def flush(self, *, gently: bool = False) -> None:
        """Write what is waiting, now. Called at exit; what cannot be written is counted in `dropped`. `gently` leaves the
        interpreter to the replies most of the time: hashing is work, and nobody waits for it."""
        with self._writing:
            self._write_all(GENTLE if gently else 0.0)

    def _note(self, kind: str, value: Any) -> None:
        if len(self._notes) >= self._size:
            self.dropped += 1
            return
        self._notes.append((kind, value))
        if self._thread is None:
            self._start()
        if not self._wake.is_set():
            self._wake.set()

    def _start(self) -> None:
        with self._starting:
            if self._thread is None:
                me = weakref.ref(self)
                self._thread = threading.Thread(
                    target=_run, args=(me, self._wake), name="kura-served", daemon=True
                )
                self._thread.start()

    def _write_all(self, pause: float) -> None:
        served: list[str] = []
        asked: list[str] = []
        metrics: list[str] = []
        while self._notes:
            kind, value = self._notes.popleft()
            if kind == "served":
                began = time.perf_counter()
                served += self._new_hashes(value)
                if pause:
                    time.sleep(pause * (time.perf_counter() - began))
            elif kind == "metrics":
                when = datetime.fromtimestamp(value[0], UTC).isoformat(timespec="seconds")
                metrics.append(json.dumps({"ts": when, **value[1]}, separators=(",", ":")))
            else:
                asked.append(self._line(value))
        if served:
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self._append(
                "served", [json.dumps({"ts": now, "hashes": served}, separators=(",", ":"))], len(served)
            )
        if asked:
            self._append("recall", asked, len(asked))
        if metrics:
            self._append("metrics", metrics, len(metrics))

    def _new_hashes(self, text: str) -> list[str]:
        from kura_runtime.gate.echo import served_hashes

        # a reader who repeats an index line repeats what stands behind its title, or one side of a gap in it
        parts = (part for line in text.splitlines() if _JOINT.search(line) for part in _JOINT.split(line)[1:])
        hashes = [h for piece in (text, *parts) for h in served_hashes(piece)]
        fresh = [h for h in dict.fromkeys(hashes) if h not in self._written]
        self._written.update(fresh)
        return fresh

    def _line(self, value: tuple[str, str, tuple[str, ...], float, float]) -> str:
        question, how, picked, ms, at = value
        row: dict[str, Any] = {
            "ts": datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds"),
            "question": question_hash(question), "how": how, "picked": picked, "ms": round(ms, 3),
        }  # fmt: skip
        if self._keep_questions:
            row["words"] = question
        return json.dumps(row, ensure_ascii=False, separators=(",", ":"))

    def _append(self, kind: str, lines: list[str], count: int) -> None:
        if not self._name:
            start = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
            self._name = f"{os.getpid()}-{start}.jsonl"
        file_path = self._metrics if kind == "metrics" else self._folder / f"{kind}-{self._name}"
        try:
            file_path.parent.mkdir(parents=True, exist_ok=True)
            with file_path.open("a", encoding="utf-8", errors="surrogatepass") as file:
                file.write("".join(line + "\n" for line in lines))
        except OSError as error:
            self.dropped += count
            if not self.failure:
                self.failure = f"{self._folder}: {error.strerror or error}"
                log.info("what is served is not noted: %s", self.failure)


def _run(ref: weakref.ref[ServedLog], wake: threading.Event) -> None:
    """The writing thread: sleeps until something is noted, gathers a little, writes. Ends with its log."""
    while True:
        wake.wait(5.0)
        mine = ref()
        if mine is None:
            return
        if wake.is_set():
            wake.clear()
            time.sleep(PAUSE)
            try:
                mine.flush(gently=True)
            except Exception:  # a note is never worth a crash of the thread that keeps them
                log.exception("what was served could not be noted")
        del mine


_OPEN: weakref.WeakSet[ServedLog] = weakref.WeakSet()


@atexit.register
def _flush_all() -> None:
    for one in list(_OPEN):
        one.flush()


def _forget_after_fork() -> None:
    """A child must not write into its parent's file, nor wait for a thread that it does not have."""
    for one in list(_OPEN):
        one._thread, one._name = None, ""
        one._notes.clear()
        one._wake, one._writing, one._starting = threading.Event(), threading.Lock(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)


def question_hash(question: str) -> str:
    """The first 16 hex digits of the sha256 of the question, white space collapsed: the same question, the same hash."""
    return hashlib.sha256(" ".join(question.split()).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def read_served(store_path: Path | str) -> frozenset[str]:
    """Every sentence hash that any process noted for this store. A line cut short by a crash is skipped and logged."""
    found: set[str] = set()
    folder = Path(store_path) / FOLDER
    if not folder.is_dir():
        return frozenset()
    for file in sorted(folder.glob("served-*.jsonl")):
        broken = 0
        with file.open(encoding="utf-8", errors="replace") as lines:
            for line in lines:
                try:
                    row = json.loads(line)
                    found.update(h for h in row["hashes"] if isinstance(h, str))
                except (ValueError, KeyError, TypeError):
                    broken += 1
        if broken:
            log.warning("%s: %d unreadable line(s) skipped", file, broken)
    return frozenset(found)
