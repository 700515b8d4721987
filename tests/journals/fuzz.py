"""Damaged journals by the thousand, and what must hold of each: `python -m tests.journals.fuzz --seconds 600 --adapter pi`.

A failure prints the sample, the seed and the round; the same three make the same file again (`--round`).
"""

from __future__ import annotations

import argparse
import contextlib
import logging
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kura_pipeline.journals.base import Adapter, Caps, Record
from kura_pipeline.journals.files import read_head
from kura_pipeline.journals.held import Container, parted
from kura_pipeline.journals.sniff import identify
from kura_runtime.errors import JournalUnreadable
from tests.journals.mutate import mutated, spoilt_beside
from tests.journals.samples import SAMPLES, Sample

HANG_SECONDS = 30


@dataclass
class Tally:
    """What a run of rounds came to."""

    rounds: int = 0
    events: int = 0
    refused: int = 0
    failures: list[str] = field(default_factory=list)


def one_round(name: str, seed: int, number: int, folder: Path) -> tuple[int, bool]:
    """Damage one sample and check it. Returns the events read and whether it was refused by name; raises AssertionError
    (or whatever an adapter let through)."""
    sample, rng = SAMPLES[name], random.Random(f"{seed}:{name}:{number}")
    others = [s.data for s in SAMPLES.values()]
    path = sample.write(folder, mutated(sample, others, rng))
    if rng.random() < 0.5:
        spoilt_beside(sample, folder, others, rng)
    return check(sample, path, rng)


def check(sample: Sample, path: Path, rng: random.Random) -> tuple[int, bool]:
    """What holds of any file, however damaged."""
    one, file = sample.adapter, parted(path)[0] if sample.session else path
    identify(file, read_head(file))
    caps = rng.choice((Caps(), Caps(40, 40), Caps(redact=False)))
    records, error = walked(one, path, caps=caps)
    if error is not None:
        assert error.path and error.reason and "\n" not in str(error), str(error)
    _well_formed(one, records, path)
    again, _ = walked(one, path, caps=caps)
    assert [_plain(r) for r in again] == [_plain(r) for r in records], "a second read says something else"
    with_events = [r for r in records if r.events]
    for record in rng.sample(with_events, min(3, len(with_events))):
        _resolves(one, path, record, caps)
    for ask in (one.fingerprint, lambda p, n: one.digest(p, 0, n)):
        with contextlib.suppress(JournalUnreadable):
            assert isinstance(ask(path, records[-1].end if records else 10), str)
    if isinstance(one, Container):
        _holds(one, file, path, records if error is None else None)
    _grows(sample, path, rng)
    return sum(len(r.events) for r in records), error is not None


def walked(
    one: Adapter, path: Path, start: int = 0, **how: Any
) -> tuple[list[Record], JournalUnreadable | None]:
    """The records of a walk, and the named error that ended it."""
    records: list[Record] = []
    try:
        records.extend(one.read(path, start, **how))
    except JournalUnreadable as error:
        return records, error
    return records, None


def _well_formed(one: Adapter, records: list[Record], path: Path) -> None:
    at, ids, size = 0, Counter[str](), path.stat().st_size if one.unit == "byte" else 0
    packed = path.name.endswith((".zst", ".zstd"))
    for record in records:
        assert at <= record.start < record.end, "records overlap"
        at = record.end
        assert bool(record.key) == bool(record.events), "a key without events, or events without a key"
        for event in record.events:
            assert (event.byte_start, event.byte_end) == (record.start, record.end), (
                "a span that is not the record's"
            )
            assert event.text.strip(), "an event without words"
            event.text.encode()
            assert event.session is not None and event.event_id
            assert event.ts is None or isinstance(event.ts, str)
            ids[(event.event_id)] += 1
    if one.unit == "byte" and not packed:
        assert at <= size, "a span behind the file's end"
    keys = Counter(r.key for r in records if r.key)
    doubled = {r.key for r in records if keys[r.key] > 1}
    for record in records:
        if record.key not in doubled:  # the same record twice in one file is distilled once, by its key
            assert all(ids[e.event_id] == 1 for e in record.events), "an event id twice"


def _resolves(one: Adapter, path: Path, record: Record, caps: Caps) -> None:
    """The span alone gives the record again."""
    part, _ = walked(one, path, record.start, end=record.end, caps=caps, settled=True)
    told = [(e.event_id, e.text) for r in part for e in r.events]
    assert all((e.event_id, e.text) in told for e in record.events), "a span that does not resolve"


def _holds(one: Container, file: Path, path: Path, records: list[Record] | None) -> None:
    """The sessions of a file can be listed, and a copy of one is read as the session is."""
    listed = None
    with contextlib.suppress(JournalUnreadable):
        listed = one.sessions(file)
    for held in listed or ():
        assert held.state and held.size >= 0
    if records is None or listed is None or not isinstance(one, Adapter):
        return
    copied = file.with_name("copy.jsonl")
    copied.write_bytes(b"".join(one.copy(path)))
    again, error = walked(one, copied)
    assert error is None, error
    told = [[(r.key, [e.event_id for e in r.events]) for r in many if r.key] for many in (again, records)]
    assert told[0] == told[1], "a copy says something else"


def _grows(sample: Sample, path: Path, rng: random.Random) -> None:
    """What a torn copy gave is, as long as the journal is known for the same, a beginning of what the whole gives."""
    one, file = sample.adapter, parted(path)[0] if sample.session else path
    if one.name == "text":
        return  # a note's last paragraph may be claimed before it is finished; what follows is a paragraph then
    data = file.read_bytes()
    file.write_bytes(data[: rng.randrange(len(data) + 1)])
    before, error = walked(one, path)
    end = before[-1].end if before else 0
    mark = _fingerprint(one, path, end) if error is None else ""
    file.write_bytes(data)
    if mark and mark == _fingerprint(one, path, end):
        rest, _ = walked(one, path, end)
        whole, _ = walked(one, path)
        met: dict[str, Any] = {}
        for r in (*before, *rest):
            if r.key:
                met.setdefault(r.key, None)
        told = list(dict.fromkeys(r.key for r in whole if r.key))
        # a last line that read as a whole before garbage came behind it in the same line was rightly taken
        spoilt = before[-1].key if before and before[-1].key not in told else ""
        assert [k for k in met if k != spoilt] == told, "growth lost or doubled a record"


def _fingerprint(one: Adapter, path: Path, upto: int) -> str:
    try:
        return one.fingerprint(path, upto)
    except JournalUnreadable:
        return ""


def _plain(record: Record) -> tuple[Any, ...]:
    return (
        record.start,
        record.end,
        record.key,
        [(e.event_id, e.cls, e.text, e.ts) for e in record.events],
        dict(record.left_out),
    )


def names_of(adapter: str | None) -> list[str]:
    """Samples of one adapter, or all of them."""
    return [n for n, s in SAMPLES.items() if adapter in (None, s.name)]


def fuzz(
    names: list[str],
    seed: int,
    seconds: float | None = None,
    rounds: range | None = None,
    tell: Callable[[str], None] = lambda _: None,
) -> Tally:
    """Rounds over the samples in turn, until the time or the numbers are used up."""
    tally = Tally()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fuzz-") as base, _Alarm():
        for number in rounds if rounds is not None else _endless():
            if seconds is not None and time.monotonic() - started > seconds:
                break
            for name in names:
                folder = Path(base) / "here"
                signal.alarm(HANG_SECONDS)
                try:
                    events, refused = one_round(name, seed, number, folder)
                except Exception as error:
                    where = traceback.extract_tb(error.__traceback__)[-1]
                    tally.failures.append(
                        f"{name} --seed {seed} --round {number}: {type(error).__name__}: {error} ({Path(where.filename).name}:{where.lineno})"
                    )
                    events, refused = 0, False
                    tell(tally.failures[-1])
                finally:
                    signal.alarm(0)
                shutil.rmtree(folder, ignore_errors=True)
                tally.rounds += 1
                tally.events += events
                tally.refused += refused
            if len(tally.failures) >= 50:
                break
    return tally


def _endless() -> Iterator[int]:
    number = 0
    while True:
        yield number
        number += 1


class _Alarm:
    """A round that hangs is a failure, not an endless run."""

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGALRM, self._late)

    def __exit__(self, *_: object) -> None:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, self._before)

    @staticmethod
    def _late(*_: object) -> None:
        raise TimeoutError(f"no end within {HANG_SECONDS} s")


def _tell(failure: str) -> None:
    sys.stdout.write(f"  {failure}\n")
    sys.stdout.flush()


def main() -> int:
    """Exit 1 where anything failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=600.0, help="how long, for the adapter(s) together")
    parser.add_argument("--adapter", help="only this one; else all")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--round", type=int, help="this round only, to see a failure again")
    asked = parser.parse_args()
    logging.disable(logging.WARNING)
    names = names_of(asked.adapter)
    if not names:
        parser.error(f"no sample of adapter {asked.adapter}")
    if asked.round is not None:
        tally = fuzz(names, asked.seed, rounds=range(asked.round, asked.round + 1), tell=_tell)
    else:
        tally = fuzz(names, asked.seed, asked.seconds, tell=_tell)
    sys.stdout.write(
        f"adapter {asked.adapter or 'all'} seed {asked.seed}: {tally.rounds} damaged files, {tally.events} events read, "
        f"{tally.refused} refused by name, {len(tally.failures)} failures\n"
    )
    return 1 if tally.failures else 0


if __name__ == "__main__":
    sys.exit(main())
