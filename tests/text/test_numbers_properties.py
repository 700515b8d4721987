"""No disguise of a digit gets a number past rule G5, and the verdict depends on nothing but its input."""

from __future__ import annotations

import subprocess
import sys

from hypothesis import given, settings
from hypothesis import strategies as st

from kura_runtime.domain.draft import Surface
from kura_runtime.domain.evidence import EvidenceClass, Quote
from kura_runtime.gate.attribution import People
from kura_runtime.gate.surface import check
from kura_runtime.text.numbers import number_tokens
from kura_runtime.text.plainview import plain

ZEROS = "0０٠۰०𝟎𝟘𝟢𝟬𝟶০๐"
INVISIBLE = ("\u200b", "\u200d", "\u2060", "\u00ad", "\ufeff", "\u202e", "\ufe0f", "")
GROUPS = (",", "'", "\u202f", "\u2009", "_", "\u00a0", "’", "٬", "")


def quote(text: str, cls: EvidenceClass = EvidenceClass.TOOL) -> Quote:
    return Quote(cls, text, "e", "s", "j", 0, 1, None)


def refused(body: str, *quotes: Quote) -> bool:
    found = check(Surface("a-slug", "", "", body), quotes, links=(), people=People())
    return any(r.reason == "number" for r in found)


@st.composite
def disguised(draw: st.DrawFn, number: int) -> str:
    """The digits of `number` in a drawn script, with invisible characters between them and groups set apart."""
    digits = str(number)
    out = []
    group = draw(st.sampled_from(GROUPS))
    for i, digit in enumerate(digits):
        left = len(digits) - i
        if i and left % 3 == 0 and len(digits) > 3:
            out.append(group)
        elif i:
            out.append(draw(st.sampled_from(INVISIBLE)))
        out.append(chr(ord(draw(st.sampled_from(ZEROS))) + int(digit)))
    return "".join(out)


@settings(max_examples=300, deadline=None)
@given(st.data(), st.integers(2, 10**9), st.integers(2, 10**9))
def test_a_number_the_evidence_lacks_is_refused_in_any_disguise(
    data: st.DataObject, told: int, given_: int
) -> None:
    body = f"It moved {data.draw(disguised(told))} things."
    assert refused(body, quote(f"moved {given_} things")) == (told != given_), (body, plain(body))


@settings(max_examples=200, deadline=None)
@given(st.data(), st.integers(2, 10**9))
def test_the_right_number_passes_in_any_notation_of_its_digits(data: st.DataObject, told: int) -> None:
    assert not refused(f"It moved {data.draw(disguised(told))} things.", quote(f"moved {told} things"))


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.integers(2, 999), min_size=2, max_size=4),
    st.sampled_from(["", "\u200b", "**", "`", "<b></b>", "\u00ad"]),
)
def test_numbers_of_the_evidence_never_join_into_a_new_one(parts: list[int], glue: str) -> None:
    joined = glue.join(map(str, parts))
    evidence = quote(", then ".join(f"part {p}" for p in parts))
    assert refused(f"It moved {joined} things.", evidence)


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=200))
def test_any_text_at_all_is_read_without_an_error(text: str) -> None:
    number_tokens(text)
    check(Surface("a-slug", text, text, text), [quote(text)], links=(), people=People(("x",)), judgement=True)


@settings(max_examples=60, deadline=None)
@given(
    st.permutations(["moved 3 rows", "skipped 12 files", "do not push", "took 4 ms"]), st.text(max_size=80)
)
def test_the_order_of_the_quotes_does_not_matter(texts: list[str], body: str) -> None:
    quotes = [quote(t) for t in texts]
    surface = Surface("a-slug", "push", "", body + " 3 rows, 7 files; push.")
    assert check(surface, quotes, links=(), people=People()) == check(
        surface, sorted(quotes, key=lambda q: q.text), links=(), people=People()
    )


def test_the_verdict_does_not_depend_on_the_hash_seed() -> None:
    program = (
        "from tests.gate.test_surface_rows import verdict;"
        "print(verdict('[USER] do not push 3 || [TOOL] took 4 ms', 'The user said: push 7 times, ⚠️ deprecated [[x]]. Push 3.'))"
    )
    runs = {
        subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed, "LANG": lang},
            check=True,
        ).stdout
        for seed, lang in (("1", "C"), ("2", "C.UTF-8"), ("77", "de_DE.UTF-8"))
    }
    assert len(runs) == 1


def test_a_long_run_of_opening_marks_quotes_nothing() -> None:
    """Opening marks without an end are no quotations; closed ones are all found, however many there are."""
    from kura_runtime.text.quotation import quotations

    assert quotations("«" * 20_000) == ()
    assert len(quotations('"a" ' * 2_000)) == 2_000
