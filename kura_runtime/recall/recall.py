"""One question to one store: tier by tier, then links, then the budget. Every reply says which tier answered."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kura_runtime.domain.memory import Memory
from kura_runtime.errors import BadInput, ModelUnavailable
from kura_runtime.recall.corpus import Corpus
from kura_runtime.recall.fit import fit
from kura_runtime.recall.framing import one_line
from kura_runtime.recall.question import Probe, probe
from kura_runtime.recall.recogniser import GATE, MARGIN, Recognition, recognise_probe
from kura_runtime.recall.reply import Reply
from kura_runtime.recall.served import ServedLog
from kura_runtime.recall.thinker import Thinker
from kura_runtime.recall.walk import walk
from kura_runtime.recall.words import by_words

log = logging.getLogger(__name__)

ANSWERS = 2048  # questions whose recognition is kept
QUESTION_MAX = 20_000  # characters; more is a document, not a question


class Shelf(Protocol):
    """Where memories come from: always the newest corpus, and what had to be skipped to get it."""

    @property
    def name(self) -> str: ...

    def corpus(self) -> tuple[Corpus, int, tuple[str, ...]]:
        """The corpus, the store's revision it stands for, and warnings."""
        ...


@dataclass(frozen=True, slots=True)
class Tiers:
    """Which tiers answer, and how strict tier 0 is."""

    fastpath: bool = True
    gate: float = GATE
    margin: float = MARGIN
    thinker: Thinker | None = None


@dataclass(frozen=True, slots=True)
class _Found:
    how: str
    picked: tuple[str, ...]
    degraded: bool = False
    nearest: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def recall(
    shelf: Shelf,
    question: str,
    *,
    tiers: Tiers,
    hops: int = 1,
    top: int = 3,
    chars: int = 6000,
    total_chars: int | None = None,
    served: ServedLog | None = None,
) -> Reply:
    """Answer `question` from the store behind `shelf`. `chars` and `total_chars` are characters.

    Raises BadInput for unusable values. A model that is out of reach is no error: the reply is degraded and says so.
    """
    started = time.perf_counter()
    _check(question, hops, top, chars, total_chars)
    corpus, revision, warnings = shelf.corpus()
    asked, first, found, walked, fastpath_ms = _answer(corpus, question, tiers, top, hops)
    still = getattr(shelf, "still", None)
    if found.picked and still is not None and not still((*found.picked, *walked)):
        shelf.refresh()  # type: ignore[attr-defined]  # a page was edited or deleted since the last look
        corpus, revision, warnings = shelf.corpus()
        asked, first, found, walked, fastpath_ms = _answer(corpus, question, tiers, top, hops)
    fitted = fit(
        [corpus.block(slug, shelf.name) for slug in (*found.picked, *walked)],
        store=shelf.name,
        words=lambda: _telling(asked),
        chars=chars,
        total_chars=total_chars,
        when=getattr(shelf, "when", ""),
    )
    elapsed = (time.perf_counter() - started) * 1e3
    said = list(found.warnings)
    if fitted.dropped and not fitted.included:
        said.append(
            f"none of the {len(fitted.dropped)} memories fits the room asked for ({', '.join(fitted.dropped)}); "
            "raise chars or total_chars"
        )
    if served is not None:
        served.served(*fitted.texts)
        served.asked(question, how=found.how, picked=found.picked, ms=elapsed)
    return Reply(
        question=question, store=shelf.name, revision=revision, how=found.how, picked=found.picked, walked=walked,
        included=fitted.included, dropped_for_budget=fitted.dropped, cut=fitted.cut, context=fitted.context,
        tokens=fitted.tokens, degraded=found.degraded,
        suggestions=() if found.picked else _suggestions(corpus, found.nearest or first.nearest),
        fastpath_verdict=first.verdict, fastpath_ms=fastpath_ms, elapsed_ms=elapsed, warnings=(*warnings, *said),
    )  # fmt: skip


def _answer(
    corpus: Corpus, question: str, tiers: Tiers, top: int, hops: int
) -> tuple[Probe, Recognition, _Found, tuple[str, ...], float]:
    """What answers in this corpus, what is linked to it, and the milliseconds that tier 0 took."""
    before = time.perf_counter()
    asked, first = _recognise(corpus, question, tiers)
    fastpath_ms = (time.perf_counter() - before) * 1e3
    if first.picked:
        found = _Found(first.how, first.picked)
    else:
        found = _further(corpus, question, asked, tiers, top, first)
    walked = walk(corpus, found.picked, hops) if found.picked else ()
    return asked, first, found, walked, fastpath_ms


def _recognise(corpus: Corpus, question: str, tiers: Tiers) -> tuple[Probe, Recognition]:
    """Tier 0. A corpus never changes, so neither does what it says to the same question: hosts ask twice."""
    key = (question, tiers.fastpath, tiers.gate, tiers.margin)
    kept: tuple[Probe, Recognition] | None = corpus.answers.get(key)
    if kept is not None:
        return kept
    asked = probe(question)
    first = Recognition((), "", "off")
    if tiers.fastpath:
        first = recognise_probe(corpus, asked, gate=tiers.gate, margin=tiers.margin)
    if len(corpus.answers) >= ANSWERS:
        corpus.answers.clear()
    corpus.answers[key] = (asked, first)
    return asked, first


def _further(
    corpus: Corpus, question: str, asked: Probe, tiers: Tiers, top: int, first: Recognition
) -> _Found:
    """The tiers behind the recogniser. An explicit none of the thinker is final: words never override it."""
    if tiers.thinker is None:
        return _Found("words(no thinker)", by_words(corpus, asked, top), True, first.nearest)
    try:
        thought = tiers.thinker.think(corpus, question, top)
    except ModelUnavailable as failure:
        log.info("thinker: %s", failure)
        reason = (f"{failure}; recall fell back to words",)
        return _Found("words(thinker unreachable)", by_words(corpus, asked, top), True, first.nearest, reason)
    warnings: tuple[str, ...] = ()
    if thought.unknown:
        warnings = (
            f"the thinker named {len(thought.unknown)} memories that are not in this store; they were left out",
        )
    if not thought.picked:
        return _Found("meaning→none", (), False, first.nearest, warnings)
    return _Found("meaning", _successors_first(corpus, thought.picked), False, first.nearest, warnings)


def _successors_first(corpus: Corpus, picked: Sequence[str]) -> tuple[str, ...]:
    """A retired memory is answered by what holds now; it follows behind, saying that it is retired. Stale ones go last."""
    order: dict[str, None] = {}
    late: dict[str, None] = {}
    for slug in picked:
        row = corpus.place[slug]
        successor = int(corpus.arrays.successors[row])
        if successor >= 0:
            order[corpus.slugs[successor]] = None
        memory = corpus.get(slug)
        (late if memory is not None and memory.state == "stale" else order)[slug] = None
    return tuple({**order, **late})


def _telling(asked: Probe) -> list[str]:
    """What to look for in paragraphs: the question's own words, and pairs of scripts without spaces."""
    pairs = [run[i : i + 2] for run in asked.dense for i in range(max(len(run) - 1, 1))]
    return [w for w in asked.words if w not in asked.plain] + pairs


def line_of(memory: Memory) -> str:
    """One index line for a person or an agent."""
    return f"{memory.slug}: {one_line(memory.title)} — {one_line(memory.trigger)}"


def _suggestions(corpus: Corpus, nearest: Sequence[str]) -> tuple[str, ...]:
    return tuple(line_of(m) for slug in nearest[:3] if (m := corpus.get(slug)) is not None)


def _check(question: str, hops: int, top: int, chars: int, total_chars: int | None) -> None:
    if not isinstance(question, str) or not question.strip():
        raise BadInput("question", "is empty; ask something")
    if len(question) > QUESTION_MAX:
        raise BadInput("question", f"{len(question)} characters; at most {QUESTION_MAX}")
    for name, value, least, most in (
        ("hops", hops, 0, 5),
        ("top", top, 1, 50),
        ("chars", chars, 1, 1_000_000),
    ):
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise BadInput(name, f"{value!r}: wants a whole number from {least} to {most}")
    if total_chars is not None and (
        isinstance(total_chars, bool) or not isinstance(total_chars, int) or total_chars < 1
    ):
        raise BadInput(
            "total_chars", f"{total_chars!r}: wants a whole number of characters, or nothing for no limit"
        )
