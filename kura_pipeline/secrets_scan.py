"""Looking back for secrets: what stands in a store, in waiting drafts and in the files between the steps.

Redaction happens at intake, by the rules of that day. A rule that was added later, or a memory that a person wrote by hand,
needs a second look at what is already on disk. The scan changes nothing: it says where something stands and how the line
would read without it. A finding never repeats the secret.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kura_runtime.gate.secrets import find, redact

_BINARY = frozenset({".parquet", ".arrow", ".db", ".sqlite", ".db-wal", ".db-shm", ".key", ".lock", ".bin", ".zst", ".gz", ".png"})  # fmt: skip
_FILE_MOST = 64 * 1024 * 1024  # bytes; a longer file is reported as left out
_INDEX_REPAIR = "`kura journals reindex` takes it out by today's rules"
_SHOWN = 160  # characters of a proposed line


@dataclass(frozen=True, slots=True)
class Finding:
    """One secret. `place` is "line 12" of a text file, or "row 3, column text" of a Parquet file (both from 1). `repair` is
    the line as it would read, with the placeholder. `fixed` is true where the file's name is the hash of its content:
    such a file is not edited but replaced, by a person, together with what points to it."""

    file: str
    place: str
    kind: str
    repair: str
    fixed: bool = False


@dataclass(frozen=True, slots=True)
class SecretsReport:
    """What was found, how many files were read, and which were left out and why."""

    findings: tuple[Finding, ...] = ()
    files: int = 0
    left_out: tuple[tuple[str, str], ...] = ()  # (file, reason)

    @property
    def kinds(self) -> dict[str, int]:
        """Kind → number, the most frequent first."""
        return dict(Counter(f.kind for f in self.findings).most_common())

    def to_json(self) -> dict[str, Any]:
        """The document of `kura secrets scan --json`."""
        return {
            "findings": [
                {"file": f.file, "place": f.place, "kind": f.kind, "repair": f.repair, "content_addressed": f.fixed}
                for f in self.findings
            ],
            "kinds": self.kinds,
            "files": self.files,
            "left_out": [{"file": name, "reason": reason} for name, reason in self.left_out],
        }  # fmt: skip


def scan(store: Path, *, parquet: Iterable[Any] = ()) -> SecretsReport:
    """Look through every text file below `store` (memories, index, drafts, evidence, proposals, logs) and through the Parquet
    files given (local paths, or universal paths of an object store)."""
    findings: list[Finding] = []
    left_out: list[tuple[str, str]] = []
    files = 0
    for path in _text_files(Path(store), left_out):
        try:
            text = path.read_bytes().decode("utf-8", "replace")
        except OSError as error:
            left_out.append((str(path), error.strerror or "unreadable"))
            continue
        files += 1
        findings += _in_text(str(path), text, fixed=path.parent.name == "_evidence")
    for place in parquet:
        try:
            rows = list(_in_parquet(place))
        except Exception as error:  # a damaged file is a finding of its own, and must not hide the others
            left_out.append((str(place), f"unreadable Parquet file ({type(error).__name__})"))
            continue
        files += 1
        findings += rows
    return SecretsReport(tuple(findings), files, tuple(left_out))


def in_index(store: Path, report: SecretsReport) -> SecretsReport:
    """The report with what stands in the store's search index: its texts were cleaned by the rules of the day they came in."""
    from kura_runtime.errors import KuraError
    from kura_runtime.raw.database import FILE, opened

    if not (store / FILE).exists():
        return report
    found: list[Finding] = []
    try:
        with opened(store) as db:
            for event, text in db.execute("SELECT event_id, text FROM events ORDER BY id"):
                found += [
                    Finding(str(store / FILE), f"event {event}", s.kind, _INDEX_REPAIR) for s in find(text)
                ]
    except KuraError as error:
        return replace(report, left_out=(*report.left_out, (str(store / FILE), str(error))))
    return replace(report, findings=(*report.findings, *found), files=report.files + 1)


def in_copies(copies: Iterable[Path]) -> dict[str, int]:
    """Kind → number of secrets in archived copies of journals, the most frequent first; `unreadable` counts copies that do not
    unpack. They are read line by line: a secret that runs over lines is seen where one of its lines shows it."""
    import zstandard

    kinds: Counter[str] = Counter()
    for copy in copies:
        try:
            with copy.open("rb") as packed:
                plain = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
                for line in io.TextIOWrapper(io.BufferedReader(plain), "utf-8", "replace"):
                    kinds.update(s.kind for s in find(line))
        except (OSError, zstandard.ZstdError):
            kinds["unreadable"] += 1
    return dict(kinds.most_common())


def proposal(report: SecretsReport, time: str) -> tuple[str, bytes] | None:
    """(file name, bytes) of a proposal that lists the repairs for a person to make; None where nothing was found. The same
    findings give the same name."""
    if not report.findings:
        return None
    listed = report.to_json()["findings"]
    digest = hashlib.sha256(json.dumps(listed, sort_keys=True, ensure_ascii=False).encode()).hexdigest()
    name = f"secrets-{digest[:10]}"
    value = {
        "id": name,
        "kind": "secrets",
        "state": "open",
        "time": time,
        "reason": f"{len(listed)} secrets on disk: " + ", ".join(f"{k} {n}" for k, n in report.kinds.items()),
        "findings": listed,
        "ruling": "rotate the secrets first; then edit the lines, and delete this file",
    }
    return f"{name}.json", (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode(
        "utf-8", "backslashreplace"
    )


def _text_files(root: Path, left_out: list[tuple[str, str]]) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if path.is_symlink():
            left_out.append((str(path), "symlink"))
        elif path.is_file() and path.suffix.lower() not in _BINARY:
            if path.stat().st_size > _FILE_MOST:
                left_out.append((str(path), f"over {_FILE_MOST} bytes"))
            else:
                yield path


def _in_text(file: str, text: str, *, fixed: bool) -> Iterator[Finding]:
    for secret in find(text):
        line = text.count("\n", 0, secret.start) + 1
        start = text.rfind("\n", 0, secret.start) + 1
        end = text.find("\n", secret.end)
        yield Finding(
            file, f"line {line}", secret.kind, _repaired(text[start : end if end >= 0 else len(text)]), fixed
        )


def _in_parquet(place: Any) -> Iterator[Finding]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = place.read_bytes() if hasattr(place, "read_bytes") else Path(place).read_bytes()
    row = 0
    for batch in pq.ParquetFile(io.BytesIO(data)).iter_batches(batch_size=4096):
        for name, column in zip(batch.schema.names, batch.columns, strict=True):
            # nested columns (quotes, calls) are searched as the text that they hold
            plain = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
            if not plain and not pa.types.is_nested(column.type):
                continue
            for number, value in enumerate(column.to_pylist(), row + 1):
                for text in _strings(value):
                    for secret in find(text):
                        yield Finding(
                            str(place), f"row {number}, column {name}", secret.kind, _repaired(text)
                        )
        row += batch.num_rows


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _strings(inner)


def _repaired(text: str) -> str:
    """The text without its secrets, on one line, short, and with a placeholder in view."""
    line = " ".join(redact(text)[0].split())
    if len(line) <= _SHOWN:
        return line
    at = max(0, line.find("⟦secret:") - _SHOWN // 2)
    return ("…" if at else "") + line[at : at + _SHOWN] + "…"
