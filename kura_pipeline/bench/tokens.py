"""How a bench counts tokens: the built-in estimate, or a command of the user's own (exact for the model it belongs to)."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from kura_runtime.errors import BadInput
from kura_runtime.text.tokens import estimate

TIMEOUT_S = 60.0  # for one text
_OPTION = "--tokenizer-command"


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """`count(text)` gives tokens; `exact` says whether a real tokeniser counted."""

    count: Callable[[str], int]
    exact: bool


ESTIMATE = Tokenizer(estimate, exact=False)


def tokenizer(command: str, *, timeout: float = TIMEOUT_S) -> Tokenizer:
    """The counter behind a command line: each text goes to its standard input (UTF-8), one whole number of tokens comes
    back on its standard output. No shell is involved. "" gives the estimate.

    `count` raises BadInput where the command cannot be run, fails, takes longer than `timeout` seconds or answers
    anything but a number.
    """
    if not command.strip():
        return ESTIMATE
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise BadInput(_OPTION, f"{command}: {error}") from None

    def count(text: str) -> int:
        return _ask(words, command, text, timeout) if text else 0

    return Tokenizer(count, exact=True)


def _ask(words: list[str], command: str, text: str, timeout: float) -> int:
    try:
        done = subprocess.run(
            words, input=text.encode("utf-8", "replace"), capture_output=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        raise BadInput(
            _OPTION, f"{command}: no answer within {timeout:g} s for a text of {len(text)} characters"
        ) from None
    except OSError as error:
        raise BadInput(_OPTION, f"{command}: cannot be run ({error.strerror or error})") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise BadInput(
            _OPTION, f"{command}: ended with {done.returncode}" + (f" ({said[-1]})" if said else "")
        )
    answer = done.stdout.decode("utf-8", "replace").strip()
    if not answer.isascii() or not answer.isdigit():
        raise BadInput(_OPTION, f"{command}: a whole number was expected on stdout, not {answer[:60]!r}")
    return int(answer)
