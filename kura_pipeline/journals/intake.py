"""From a piece of a record to an event: repaired, redacted, capped, counted. No event is made anywhere else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from kura_pipeline.journals.base import Caps, Record
from kura_runtime.domain.evidence import Event, EvidenceClass
from kura_runtime.gate.secrets import redact, suspects
from kura_runtime.text.normalise import cut_mark

# A segment far over its cap is thinned before the secrets are looked for; the margin keeps whole any secret that
# reaches into the part that stays (a private key has some thousand characters).
_THIN, _MARGIN = 65536, 16384


class Intake:
    """Makes the events of one walk. `left_out` collects repairs and omissions of the record at hand.

    With `together`, events are redacted and capped by `settled`, many records at a time; whoever asks for that hands out
    no record before.
    """

    def __init__(self, journal_key: str, caps: Caps, *, together: bool = False) -> None:
        self.journal_key = journal_key
        self.caps = caps
        self.together = together
        self.seq = 0
        self.left_out: Counter[str] = Counter()

    def take(self) -> dict[str, int]:
        """What was left out since the last call."""
        if not self.left_out:
            return {}
        taken = dict(self.left_out)
        self.left_out.clear()
        return taken

    def event(
        self,
        cls: EvidenceClass,
        text: str,
        *,
        event_id: str,
        ts: str | None,
        session: str,
        start: int,
        end: int,
        tool: str | None = None,
        journal_key: str = "",
    ) -> Event | None:
        """The event, or None where nothing is left of the text."""
        if not text or text.isspace():
            self.left_out["empty"] += 1
            return None
        kept, redactions, cut = self.repaired(text), dict[str, int](), 0
        if not self.together or len(kept) > _THIN:
            kept, redactions, cut = self._redacted(kept, self._cap(cls))
        event = Event(
            event_id=event_id,
            seq=self.seq,
            cls=cls,
            text=kept,
            ts=ts,
            session=session,
            journal_key=journal_key or self.journal_key,
            byte_start=start,
            byte_end=end,
            tool=tool,
            redactions=redactions,
            cut=cut,
        )
        self.seq += 1
        return event

    def settled(self, records: Sequence[Record]) -> Iterator[Record]:
        """The records with their events redacted and capped. One look at all the texts finds those that need it."""
        events = [e for r in records for e in r.events]
        doubtful = suspects([e.text for e in events]) if self.caps.redact else [False] * len(events)
        tool, text = self.caps.tool, self.caps.text
        at = 0
        for record in records:
            if record.events:
                touched = False
                for e in record.events:
                    if doubtful[at] or len(e.text) > (tool if e.cls is EvidenceClass.TOOL else text):
                        touched = True
                    at += 1
                if touched:
                    doubts = doubtful[at - len(record.events) : at]
                    done = [self._finished(e, doubt) for e, doubt in zip(record.events, doubts, strict=True)]
                    record = record._replace(events=tuple(done))
            yield record

    def _finished(self, event: Event, doubt: bool) -> Event:
        if event.cut:  # so long that it was thinned, and with that redacted, when it was made
            return event
        clean, found = redact(event.text) if doubt else (event.text, event.redactions)
        kept, cut = capped(clean, self._cap(event.cls))
        if kept is event.text:
            return event
        return replace(event, text=kept, redactions=found, cut=cut)

    def _cap(self, cls: EvidenceClass) -> int:
        return self.caps.tool if cls is EvidenceClass.TOOL else self.caps.text

    def repaired(self, text: str) -> str:
        """The text in valid Unicode and without NUL; each repair is counted."""
        if "\x00" in text:
            self.left_out["nul-bytes"] += text.count("\x00")
            text = text.replace("\x00", "\ufffd")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError:
                self.left_out["lone-surrogate"] += 1
                text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return text

    def _redacted(self, text: str, cap: int) -> tuple[str, dict[str, int], int]:
        if not self.caps.redact:
            kept, cut = capped(text, cap)
            return kept, {}, cut
        reach = cap + _MARGIN
        if len(text) <= max(_THIN, 2 * reach):
            clean, found = redact(text)
            kept, cut = capped(clean, cap)
            return kept, found, cut
        # both ends are redacted by themselves, with a margin; what lies between is cut unseen
        head, found = redact(text[:reach])
        tail, more = redact(text[-reach:])
        kinds = dict(found)
        for kind, n in more.items():
            kinds[kind] = kinds.get(kind, 0) + n
        kept, cut = capped(head + tail, cap)
        return _renumbered(kept, cut, cut + len(text) - 2 * reach), kinds, cut + len(text) - 2 * reach


def capped(text: str, cap: int) -> tuple[str, int]:
    """At most `cap` characters of the text, head and tail, with a mark between them; and how many were left out."""
    if len(text) <= cap:
        return text, 0
    half = cap // 2
    head, tail = text[: cap - half], text[len(text) - half :]
    # a placeholder is never halved: what it stands for could be guessed from the rest
    opened = head.rfind("⟦")
    if opened >= 0 and "⟧" not in head[opened:] and len(head) - opened < 40:
        head = head[:opened]
    closed = tail.find("⟧")
    if 0 <= closed < 40 and "⟦" not in tail[:closed]:
        tail = tail[closed + 1 :]
    cut = len(text) - len(head) - len(tail)
    return head + cut_mark(cut) + tail, cut


def _renumbered(text: str, old: int, new: int) -> str:
    return text.replace(cut_mark(old), cut_mark(new), 1)


def arguments(value: Any) -> str:
    """The arguments of a tool call as text: strings as they are, one `name: value` a line, the rest as JSON."""
    if isinstance(value, Mapping):
        return "\n".join(f"{k}: {v if isinstance(v, str) else _json(v)}" for k, v in value.items())
    return value if isinstance(value, str) else _json(value)


def passed(value: Any) -> str:
    """Arguments that came as a JSON string, as `arguments` shows them; what does not parse is shown as it was passed."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return arguments(parsed) if isinstance(parsed, dict) else value
    return arguments(value) if value is not None else ""


def joined(content: Any) -> str:
    """The text of a message's content: a string, or parts that carry `text`; "" where there is none."""
    if isinstance(content, str):
        return content
    texts = []
    for part in content if isinstance(content, list) else ():
        text = part.get("text") if isinstance(part, dict) else part
        if isinstance(text, str):
            texts.append(text)
    return "\n".join(texts)


def _json(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except (RecursionError, ValueError):
        return "(nested too deep)"


def event_time(value: Any, left_out: Counter[str]) -> str | None:
    """A record's time as ISO 8601 with its offset: an ISO text as it stands, a number as seconds or milliseconds since
    1970. A time without an offset is read as UTC; one that cannot be is None; both are counted."""
    if value is None or value == "":
        return None
    if isinstance(value, str):
        try:
            parsed = datetime.fromisoformat(value)
        except ValueError:
            left_out["bad-time"] += 1
            return None
        if parsed.tzinfo is None:
            left_out["time-without-zone"] += 1
            return parsed.isoformat() + "+00:00"
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if abs(value) >= 1e11 else float(value)
        try:
            return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
        except (ValueError, OverflowError, OSError):
            pass
    left_out["bad-time"] += 1
    return None
