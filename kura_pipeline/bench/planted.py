"""The planted fixtures: what was planted where, and the journals they make (in the format of Claude's sessions).

A fixture is a file `<corpus>.<language>.json`: plants (each a statement with its marker and a question about it) and,
in the ordinary chat, filler around them. The same fixture is the same journal bytes.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any

from kura_runtime.errors import BadInput

KINDS = ("decision", "number", "negation", "reversal", "conditional", "landmine", "returning", "distractor")
_BEGUN = {1: datetime(2026, 3, 2, 9, 0, tzinfo=UTC), 2: datetime(2026, 3, 11, 9, 0, tzinfo=UTC)}
_FIRST_SHARE = 0.6  # of the filler stands in the first session
_LOG_EVERY = 2  # exchanges of filler between two tool calls
_UNDERSTOOD = {"en": "Understood.", "ja": "わかりました。", "zh": "好的，明白了。"}
_LOOK = {"en": "I'll look at it.", "ja": "見てみます。", "zh": "我看一下。"}


@dataclass(frozen=True, slots=True)
class Plant:
    """One planted statement. `marker` must stand in what recall returns for `ask`; where `must_not_store` it must stand in
    no memory. `say` is said by the human (in session `session`), `tool` is a call and its output before it, `by_agent` an
    opinion of the agent; `later` is what the human says about it in session 2.

    `quotes`, `later_quotes`, `title`, `heading` and `label` are for a scripted editor: what a model would propose and
    write, right or (in a distractor) wrong.
    """

    id: str
    kind: str
    marker: str
    ask: str
    session: int
    title: str
    say: str = ""
    tool: tuple[str, ...] = ()
    by_agent: str = ""
    quotes: tuple[tuple[str, str], ...] = ()
    later: str = ""
    heading: str = ""
    label: str = ""
    must_not_store: bool = False

    @property
    def later_quotes(self) -> tuple[tuple[str, str], ...]:
        """Quotes of the second mention."""
        return (("USER", self.later),) if self.later else ()


@dataclass(frozen=True, slots=True)
class Fixture:
    """A corpus in one language."""

    corpus: str
    language: str
    plants: tuple[Plant, ...]
    filler: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """`chat_en`, as in the figures."""
        return f"{self.corpus}_{self.language}"


def shipped(only: Sequence[str] = ()) -> list[Fixture]:
    """The fixtures of the package, or those named (`chat`, `chat.en`). Raises BadInput for a name that is none."""
    folder = files(__package__).joinpath("fixtures")
    names = sorted(f.name.removesuffix(".json") for f in folder.iterdir() if f.name.endswith(".json"))
    chosen = [n for n in names if not only or n in only or n.partition(".")[0] in only]
    for name in only:
        if name not in names and name not in {n.partition(".")[0] for n in names}:
            raise BadInput("--fixture", f'"{name}" is none; known: {", ".join(names)}')
    return [read(n, folder.joinpath(f"{n}.json").read_text(encoding="utf-8")) for n in chosen]


def read(name: str, text: str) -> Fixture:
    """The fixture of a file named `<corpus>.<language>`. Raises BadInput where a plant is not what it should be."""
    corpus, _, language = name.partition(".")
    try:
        raw = json.loads(text)
        plants = tuple(_plant(row) for row in raw["plants"])
        return Fixture(corpus, language or "en", plants, tuple((a, b) for a, b in raw.get("filler", ())))
    except (ValueError, KeyError, TypeError) as error:
        raise BadInput("--questions", f"{name}: no fixture ({type(error).__name__}: {error})") from None


def read_file(path: Path) -> Fixture:
    """A fixture of the user's own."""
    try:
        return read(path.name.removesuffix(".json"), path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("--questions", f"{path}: {getattr(error, 'strerror', None) or error}") from None


def lay_out(fixture: Fixture, folder: Path) -> list[Path]:
    """Write the fixture's journals below `folder`, oldest first."""
    place = folder / f"-bench-{fixture.corpus}-{fixture.language}"
    place.mkdir(parents=True, exist_ok=True)
    written = []
    for session in (1, 2):
        name = _uuid(fixture, session)
        path = place / f"{name}.jsonl"
        rows = _rows(fixture, session, name)
        path.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in rows), encoding="utf-8")
        written.append(path)
    return written


def _plant(row: dict[str, Any]) -> Plant:
    later = row.get("later") or {}
    say = row.get("say", "")
    quote = row.get("quote", say)
    quotes = row.get("quotes") or ([["USER", quote]] if quote else [])
    if row["kind"] not in KINDS:
        raise ValueError(f'{row["id"]}: kind "{row["kind"]}" is none of {", ".join(KINDS)}')
    return Plant(
        id=row["id"], kind=row["kind"], marker=row["marker"], ask=row["ask"], session=int(row.get("session", 1)),
        title=row.get("title", ""), say=say, tool=tuple(row.get("tool", ())), by_agent=row.get("self", ""),
        quotes=tuple((c, t) for c, t in quotes), later=later.get("say", ""), heading=later.get("heading", ""),
        label=row.get("label", ""), must_not_store=bool(row.get("must_not_store", False)),
    )  # fmt: skip


# -- the journals ------------------------------------------------------------------------------------------------------


def _turns(fixture: Fixture, session: int) -> Iterator[tuple[str, Any]]:
    """(who, what): user, agent, or tool with a (command, output) pair."""
    dice = random.Random(f"{fixture.name} {session}")  # noqa: S311  a fixed mix, not a secret
    border = round(len(fixture.filler) * _FIRST_SHARE)
    filler = fixture.filler[:border] if session == 1 else fixture.filler[border:]
    planted: list[list[tuple[str, Any]]] = [
        _said(p, fixture.language) for p in fixture.plants if p.session == session
    ]
    if session == 2:
        planted += [
            [("user", p.later), ("agent", _UNDERSTOOD[fixture.language])] for p in fixture.plants if p.later
        ]
    gap = len(filler) / (len(planted) + 1)
    done = 0
    for n, (asked, answered) in enumerate(filler, 1):
        yield "user", asked
        if n % _LOG_EVERY == 0:
            yield "tool", _log(dice, session)
        yield "agent", answered
        while done < len(planted) and n >= gap * (done + 1):
            yield from planted[done]
            done += 1
    for rest in planted[done:]:
        yield from rest


def _said(plant: Plant, language: str) -> list[tuple[str, Any]]:
    turns: list[tuple[str, Any]] = []
    if plant.tool:
        turns += [("agent", _LOOK[language]), ("tool", plant.tool)]
    if plant.by_agent:
        turns.append(("agent", plant.by_agent))
    if plant.say:
        turns += [("user", plant.say), ("agent", _UNDERSTOOD[language])]
    return turns


def _log(dice: random.Random, session: int) -> tuple[str, str]:
    """A tool call whose output is of no interest tomorrow."""
    at = _BEGUN[session]
    lines = []
    for _ in range(dice.randint(8, 14)):
        at += timedelta(seconds=dice.randint(1, 40))
        path = dice.choice(("/assets/app.js", "/api/items", "/api/session", "/img/row.webp", "/health"))
        lines.append(
            f"{at:%H:%M:%S} GET {path} {dice.choice((200, 200, 200, 304, 404))} {dice.randint(2, 90)}ms"
        )
    return "tail -n 14 server.log", "\n".join(lines)


def _rows(fixture: Fixture, session: int, name: str) -> Iterator[dict[str, Any]]:
    at, parent, number = _BEGUN[session], None, 0
    for who, what in _turns(fixture, session):
        if who != "tool":
            content: Any = what if who == "user" else [{"type": "text", "text": what}]
            messages = [("user" if who == "user" else "assistant", content)]
        else:
            use = f"toolu_{number:06d}"
            messages = [
                (
                    "assistant",
                    [{"type": "tool_use", "id": use, "name": "Bash", "input": {"command": what[0]}}],
                ),
                ("user", [{"type": "tool_result", "tool_use_id": use, "content": what[1]}]),
            ]
        for role, content in messages:
            at += timedelta(seconds=37)
            uid = f"{name[:24]}{number:012d}"
            yield {
                "type": role, "uuid": uid, "parentUuid": parent, "sessionId": name, "timestamp": f"{at:%Y-%m-%dT%H:%M:%S}.000Z",
                "isSidechain": False, "userType": "external", "cwd": "/home/dev/project", "version": "2.1.12",
                "message": {"role": role, "content": content},
            }  # fmt: skip
            parent, number = uid, number + 1


def _uuid(fixture: Fixture, session: int) -> str:
    h = hashlib.sha256(f"{fixture.name} {session}".encode()).hexdigest()
    return f"{h[:8]}-{h[8:12]}-4{h[12:15]}-8{h[15:18]}-{h[18:30]}"
