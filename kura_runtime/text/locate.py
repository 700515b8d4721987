"""Every place where a needle stands in a large text, without scanning the text once a needle.

The text is sampled: `gram` characters at every `step`-th offset. Wherever a needle of at least `gram + step - 1` characters
stands, one of its own grams falls on a sampled offset; of the grams that share a residue the rarest one is asked for.
Building is linear in the text, a look-up depends on the needle only.
"""

from __future__ import annotations

from collections.abc import Iterator

_TOO_MANY = 64  # more proposals than this, and a plain search (linear, in C) is the faster way


class Locator:
    """`Locator(text).places(needle)`: offsets, ascending. Exact: the samples only propose, the text decides. Needles
    shorter than `gram + step - 1` characters are found by a plain search."""

    def __init__(self, text: str, gram: int, step: int) -> None:
        self.text = text
        self._gram, self._step = gram, step
        # Nearly all samples are unique: they keep their place as it is, and only the others get a list of places.
        places = range(0, len(text) - gram + 1, step)
        samples = [text[i : i + gram] for i in places]
        self._at: dict[str, int] = dict(zip(samples, places, strict=True))
        self._more: dict[str, list[int]] = {}
        if len(self._at) < len(samples):
            last = self._at
            for sample, i in [(s, i) for s, i in zip(samples, places, strict=True) if last[s] != i]:
                self._more.setdefault(sample, []).append(i)

    def places(self, needle: str) -> Iterator[int]:
        """Every offset of `needle` in the text."""
        text = self.text
        proposed = self._proposed(needle)
        if proposed is None:
            at = text.find(needle)
            while at >= 0:
                yield at
                at = text.find(needle, at + 1)
            return
        for at in proposed:
            if at >= 0 and text.startswith(needle, at):
                yield at

    def _proposed(self, needle: str) -> list[int] | None:
        gram, step, at, more = self._gram, self._step, self._at, self._more
        end = len(needle) - gram
        if end < step - 1:
            return None
        proposed: list[int] = []
        for residue in range(step):
            best, fewest = -1, 0
            for i in range(residue, end + 1, step):
                sample = needle[i : i + gram]
                if sample not in at:
                    best = -1
                    break  # every gram of a place is sampled, or none of this residue is
                n = len(more[sample]) if sample in more else 0
                if best < 0 or n < fewest:
                    best, fewest = i, n
            if best >= 0:
                sample = needle[best : best + gram]
                proposed.append(at[sample] - best)
                if fewest:
                    proposed += [place - best for place in more[sample]]
                if len(proposed) > _TOO_MANY:
                    return None
        return sorted(proposed)
