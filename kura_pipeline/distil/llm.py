"""The editor that asks models: the brain reads the batch, the scribe compares, writes and judges."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from kura_pipeline.distil import answers
from kura_pipeline.distil.editor import Brief, Composed, Novelty, Question, SeedQuestion, Spotted
from kura_pipeline.distil.prompting import (
    PROMPTS,
    boxed,
    canaries_in,
    estimated_tokens,
    fill,
    frame,
    house,
    messages,
    parts,
    prompt_text,
    prompt_version,
)
from kura_pipeline.distil.tasks import task as told
from kura_runtime.domain.call import Message
from kura_runtime.domain.candidate import Candidate, CandidateVerdict, Refusal
from kura_runtime.domain.draft import Draft, JudgeVerdict, Surface
from kura_runtime.domain.evidence import Batch, Quote
from kura_runtime.domain.memory import Memory
from kura_runtime.models.calls import Answer
from kura_runtime.models.dialect import Parameters, Task
from kura_runtime.models.failures import ModelFailure
from kura_runtime.models.salvage import Salvaged, object_of, objects_of

_NEIGHBOUR_CHARS = 1200  # of a neighbour's text shown to the scribe
_TOGETHER_MOST = 16  # items compared in one call: more, and a small model begins to mix them up
_ANSWER_TOKENS = 40  # of one item's object in the answer
_NO_JSON = "\n\nYour last answer held no JSON that could be read. Answer with the JSON array alone; [] where there is nothing."
_JUDGEMENT = (
    "\nOnly the agent's own prose supports this item. Write it as the agent's judgement, in the first person "
    '("I think", "my impression"), in title, trigger and body alike; never as a fact.\n'
)


class Role(Protocol):
    """A role that can be asked (`RecordingRole`)."""

    @property
    def identity(self) -> str: ...

    def ask(
        self,
        messages: Sequence[Message],
        parameters: Parameters | None = None,
        *,
        anew: bool = False,
        task: Task | None = None,
    ) -> Answer: ...


class LlmEditor:
    """See `Editor`. `ask_again` asks anew where a recorded answer was no verdict; a plain rerun replays it as SKIP.

    The brain reads a batch in one call, unless it would not fit into its `context_tokens` (None: it always fits): then
    in as few calls as it takes, for a request that is too long would be refused for ever. `scribe_tokens` bounds a call
    that compares several items in the same way; `together=False` compares each item in a call of its own.
    """

    name = "llm"

    def __init__(
        self,
        brain: Role,
        scribe: Role,
        *,
        coverage_passes: int = 1,
        context_tokens: int | None = None,
        scribe_tokens: int | None = None,
        ask_again: bool = False,
        together: bool = True,
    ) -> None:
        self._brain, self._scribe = brain, scribe
        self._coverage_passes, self._ask_again = coverage_passes, ask_again
        self._context_tokens, self._scribe_tokens = context_tokens, scribe_tokens
        self._together = together

    @property
    def version(self) -> str:
        """Hash over all prompts, and the number of coverage passes."""
        stamp = " ".join(f"{n}={v}" for n, v in self.prompts().items())
        return f"{hashlib.sha256(stamp.encode()).hexdigest()[:8]}-{self._coverage_passes}"

    def models(self) -> dict[str, str]:
        """Role → model identity."""
        return {"brain": self._brain.identity, "scribe": self._scribe.identity}

    def prompts(self) -> dict[str, str]:
        """Prompt → version."""
        return {name: prompt_version(name) for name in PROMPTS}

    def asking_again(self) -> LlmEditor:
        """The same editor for draining: a judge's recorded non-answer is asked for anew."""
        return LlmEditor(
            self._brain,
            self._scribe,
            coverage_passes=self._coverage_passes,
            context_tokens=self._context_tokens,
            scribe_tokens=self._scribe_tokens,
            ask_again=True,
            together=self._together,
        )

    # -- spot ----------------------------------------------------------------------------------------------------------

    def spot(self, batch: Batch, brief: Brief) -> Spotted:
        """The whole batch in one call, then the coverage passes. Raises ModelFailure `malformed` where even the second
        try holds no JSON: that is no empty answer, and the batch must not count as read."""
        found = _Found(batch)
        for part in parts(batch, self._room(brief)):
            self._read(found, part, brief)
        return Spotted(
            tuple(found.candidates), found.salvaged, found.cut, tuple(found.calls), dict(found.lost)
        )

    def _room(self, brief: Brief) -> int | None:
        """Tokens left for the evidence of one call, or None."""
        if self._context_tokens is None:
            return None
        taken = estimated_tokens(house(brief) + prompt_text("spot")) + self._context_tokens // 6
        return max(1000, self._context_tokens - taken)

    def _read(self, found: _Found, part: Batch, brief: Brief) -> None:
        evidence = frame(part)
        before = len(found.candidates)
        task = fill("spot", max_items=str(brief.max_items), evidence=evidence)
        self._first(found, messages(brief, task), brief)
        for _ in range(self._coverage_passes):
            if len(found.candidates) == before:
                break  # a second reading of what held nothing costs the same and finds nothing
            topics = boxed("found", "\n".join(f"- {c.topic}" for c in found.candidates[before:]))
            task = fill("coverage", max_items=str(brief.max_items), evidence=evidence, found=topics)
            try:
                answer = self._brain.ask(messages(brief, task), task=told("coverage"))
            except ModelFailure as failure:
                if failure.outage:
                    raise
                found.lost[f"coverage-{failure.kind}"] += 1
                continue
            found.calls.append(answer.key)
            if not found.take(objects_of(answer.text), brief.max_items):
                break

    def _first(self, found: _Found, asked: list[dict[str, str]], brief: Brief) -> None:
        answer = self._brain.ask(asked, task=told("spot"))
        read = objects_of(answer.text)
        if not _readable(read) and answer.replayed:
            answer = self._brain.ask(asked, anew=True, task=told("spot"))
            read = objects_of(answer.text)
        found.calls.append(answer.key)
        if not _readable(read):
            found.note(read)
            asked = [*asked[:-1], {"role": "user", "content": asked[-1]["content"] + _NO_JSON}]
            answer = self._brain.ask(asked, task=told("spot"))
            read = objects_of(answer.text)
            if not _readable(read) and answer.replayed:
                answer = self._brain.ask(asked, anew=True, task=told("spot"))
                read = objects_of(answer.text)
            found.calls.append(answer.key)
        if not _readable(read):
            raise ModelFailure("brain", "malformed", f"two answers without candidates: {answer.text[:120]!r}")
        found.take(read, brief.max_items)

    # -- novelty, compose, judge ---------------------------------------------------------------------------------------

    def novelty(self, verdict: CandidateVerdict, neighbours: Sequence[Memory], brief: Brief) -> Novelty:
        """See `Editor.novelty`. An unreadable answer reads as NEW: the store's own dedup stands behind it."""
        if not neighbours:
            return Novelty("NEW")
        near = boxed("memory", *(_memory(m) for m in neighbours))
        task = fill("novelty", item=_item(verdict), neighbours=near)
        try:
            answer = self._scribe.ask(messages(brief, task), task=told("novelty"))
        except ModelFailure as failure:
            if failure.outage:
                raise
            return Novelty("NEW", note=failure.kind)
        read = object_of(answer.text).objects
        said = answers.novelty_of(read[0], [m.slug for m in neighbours]) if read else None
        if said is None:
            return Novelty("NEW", calls=(answer.key,), note="unreadable")
        kind, slug = said
        return Novelty(kind, slug, (answer.key,))  # type: ignore[arg-type]

    def fitting(self, questions: Sequence[Question], brief: Brief) -> int:
        """See `ComparesTogether`."""
        if not self._together:
            return 0
        if self._scribe_tokens is None:
            return min(len(questions), _TOGETHER_MOST)
        room = self._scribe_tokens * 3 // 4 - estimated_tokens(house(brief) + prompt_text("novelties"))
        shown: set[str] = set()
        for n, question in enumerate(questions[:_TOGETHER_MOST]):
            room -= estimated_tokens(_asked(question)) + _ANSWER_TOKENS
            room -= sum(estimated_tokens(_memory(m)) for m in question.neighbours if m.slug not in shown)
            shown |= {m.slug for m in question.neighbours}
            if room < 0:
                return n
        return min(len(questions), _TOGETHER_MOST)

    def novelties(self, questions: Sequence[Question], brief: Brief) -> list[Novelty | None]:
        """See `ComparesTogether`. A memory that is near to several items is shown once."""
        memories = {m.slug: m for q in questions for m in q.neighbours}
        near = boxed("memory", *(_memory(memories[slug]) for slug in sorted(memories)))
        items = boxed("item", *(_asked(q) for q in questions))
        answer = self._scribe.ask(
            messages(brief, fill("novelties", neighbours=near, items=items)), task=told("novelties")
        )
        said = answers.novelties_of(
            objects_of(answer.text).objects, {q.id: [m.slug for m in q.neighbours] for q in questions}
        )
        found = (said.get(q.id) for q in questions)
        return [None if f is None else Novelty(f[0], f[1], (answer.key,)) for f in found]  # type: ignore[arg-type]

    def sprouts(self, questions: Sequence[SeedQuestion], brief: Brief) -> list[tuple[str, str]]:
        """See `ConfirmsSeeds`."""
        seeds = {str(s["id"]): s for q in questions for s in q.seeds}
        shown = boxed("seed", *(_seed(seeds[name]) for name in sorted(seeds)))
        items = boxed("item", *(_near(q.id, [str(s["id"]) for s in q.seeds], q.verdict) for q in questions))
        answer = self._scribe.ask(
            messages(brief, fill("sprout", seeds=shown, items=items)), task=told("sprout")
        )
        return answers.pairs_of(objects_of(answer.text).objects)

    def compose(
        self,
        verdict: CandidateVerdict,
        brief: Brief,
        *,
        refusals: Sequence[Refusal] = (),
        before: Surface | None = None,
        extends: Memory | None = None,
        neighbours: Sequence[Memory] = (),
    ) -> Composed:
        """See `Editor.compose`."""
        values = {
            "item": _item(verdict),
            "judgement": _JUDGEMENT if verdict.judgement else "",
            "links": "\n".join(f"- [[{m.slug}]] {m.title}" for m in neighbours) or "(none)",
            "again": _again(refusals, before),
        }
        if extends is None:
            task = fill("compose", **values)
        else:
            task = fill("extend", memory=boxed("memory", _memory(extends)), **values)
        try:
            answer = self._scribe.ask(messages(brief, task), task=told("extend" if extends else "compose"))
        except ModelFailure as failure:
            if failure.outage:
                raise
            return Composed(None, reason="no-answer")
        read = object_of(answer.text)
        if not read.objects:
            return Composed(None, (answer.key,), "declined" if "prose" in read.lost else "unreadable")
        item = read.objects[0]
        surface = answers.surface_of(item) if extends is None else answers.section_of(item, extends.slug)
        return Composed(surface, (answer.key,), "" if surface else "wrong-shape")

    def judge(self, draft: Draft, brief: Brief, *, digest: str = "") -> JudgeVerdict:
        """See `Editor.judge`."""
        evidence = boxed("quote", *(_quote(q) for q in draft.quotes)) if draft.quotes else "(none)"
        task = fill("judge", draft=boxed("draft", _draft(draft)), quotes=evidence)
        asked = messages(brief, task)
        try:
            answer = self._scribe.ask(asked, task=told("judge"))
            verdict = _verdict(answer, draft, digest)
            if verdict.verdict == "SKIP" and answer.replayed and self._ask_again:
                verdict = _verdict(self._scribe.ask(asked, anew=True, task=told("judge")), draft, digest)
        except ModelFailure as failure:
            if failure.outage:
                raise
            return JudgeVerdict("SKIP", digest, f"no answer ({failure.kind})")
        return verdict


class _Found:
    """Candidates gathered over the passes, without repeats."""

    def __init__(self, batch: Batch) -> None:
        self._evidence = [e.text for e in batch.events]
        self.candidates: list[Candidate] = []
        self.calls: list[str] = []
        self.lost: Counter[str] = Counter()
        self.salvaged = self.cut = 0
        self._topics: set[str] = set()
        self._quotes: set[tuple[str, ...]] = set()

    def note(self, read: Salvaged) -> None:
        """Count what an answer lost."""
        self.lost.update(read.lost)

    def take(self, read: Salvaged, max_items: int) -> int:
        """Add an answer's candidates; the number of new ones."""
        self.note(read)
        self.salvaged += read.salvaged
        candidates, lost = answers.candidates_of(read.objects)
        self.lost.update(lost)
        fresh = 0
        for candidate in candidates:
            topic = candidate.topic.casefold()
            quotes = tuple(sorted(q.text for q in candidate.quotes))
            if canaries_in(_written(candidate), self._evidence):
                self.lost["example"] += 1
            elif fresh >= max_items or topic in self._topics or quotes in self._quotes:
                self.cut += 1
            else:
                fresh += 1
                self._topics.add(topic)
                self._quotes.add(quotes)
                self.candidates.append(candidate)
        return fresh


def _written(candidate: Candidate) -> str:
    parts = (candidate.topic, candidate.why, candidate.belongs_because, candidate.keep, candidate.may_fade)
    return " ".join((*parts, *candidate.callsigns, *(q.text for q in candidate.quotes)))


def _readable(read: Salvaged) -> bool:
    """True for an honest empty answer, and for one with at least one item that could be a candidate."""
    if not read.objects:
        return read.clean
    return any("topic" in o or "quotes" in o for o in read.objects)


def _verdict(answer: Answer, draft: Draft, digest: str) -> JudgeVerdict:
    read = objects_of(answer.text).objects
    if not read:
        return JudgeVerdict("SKIP", digest, "unreadable: no JSON in the answer")
    verdicts = [answers.verdict_of(item, draft, digest) for item in read]
    if len({v.verdict for v in verdicts}) > 1:
        return JudgeVerdict("SKIP", digest, "unreadable: several verdicts in one answer")
    return verdicts[0]


def _item(verdict: CandidateVerdict) -> str:
    return boxed("item", _told(verdict))


def _asked(question: Question) -> str:
    return _near(question.id, [m.slug for m in question.neighbours], question.verdict)


def _near(name: str, near: Sequence[str], verdict: CandidateVerdict) -> str:
    return f"id: {name}\nnear: {', '.join(near)}\n{_told(verdict)}"


def _seed(seed: Mapping[str, Any]) -> str:
    quotes = [f"[{q.get('class', '')}] {q.get('text', '')}" for q in seed.get("quotes", ())]
    return "\n".join((f"id: {seed['id']}", f"idea: {seed.get('topic', '')}", *quotes))


def _told(verdict: CandidateVerdict) -> str:
    candidate = verdict.candidate
    lines = [f"topic: {candidate.topic}", f"kind: {candidate.kind}", f"why: {candidate.why}", "quotes:"]
    return "\n".join([*lines, *(_quote(q) for q in verdict.quotes)])


def _quote(quote: Quote) -> str:
    when = f" ({quote.ts[:10]})" if quote.ts else ""
    return f"[{quote.cls.value}]{when} {quote.text}"


def _memory(memory: Memory) -> str:
    text = memory.summary + ("\n\n" + memory.detail if memory.detail else "")
    head = f"slug: {memory.slug}\ntitle: {memory.title}\ntrigger: {memory.trigger}\nstate: {memory.state}\n\n"
    return head + text[:_NEIGHBOUR_CHARS]


def _draft(draft: Draft) -> str:
    lines = [f"{place}: {text}" for place, text in draft.surface.places() if text]
    kind = f"kind: {draft.kind}" + (f"\nextends: {draft.extends}" if draft.extends else "")
    return "\n".join([*lines, kind])


def _again(refusals: Sequence[Refusal], before: Surface | None) -> str:
    if not refusals:
        return ""
    old = "\n".join(f"{p}: {t}" for p, t in before.places() if t) if before else "(it could not be read)"
    lines = []
    for r in refusals:
        place = f" in {r.place}" if r.place else ""
        token = f' "{r.token}"' if r.token else ""
        lines.append(f"- {r.reason}{token}{place}: {r.note or r.rule}")
    return fill("again", before=boxed("answer", old), refusals="\n".join(lines))
