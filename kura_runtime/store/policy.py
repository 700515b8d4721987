"""Who may write: the doors of a store, and which of them each policy leaves open."""

from __future__ import annotations

from typing import Literal, get_args

from kura_runtime.errors import BadInput, WriteRefused

WritePolicy = Literal["direct-allowed", "distiller-only", "frozen"]
Door = Literal[
    "remember", "annotate", "pour", "retire", "archive", "unarchive", "import", "rule", "tidy", "weave"
]

POLICIES: tuple[str, ...] = get_args(WritePolicy)
_DIRECT: frozenset[str] = frozenset({"remember", "annotate"})


def check_policy(policy: str) -> None:
    """Raises BadInput for an unknown policy: a misspelt one must not open a door."""
    if policy not in POLICIES:
        raise BadInput("write_policy", f'"{policy}" is unknown; use one of {", ".join(POLICIES)}')


def allow(policy: str, door: Door, store: str) -> None:
    """Raises WriteRefused where the policy keeps this door shut."""
    if policy == "frozen":
        raise WriteRefused(policy, f'the store "{store}" is frozen; nothing is written to it ({door})')
    if policy == "distiller-only" and door in _DIRECT:
        raise WriteRefused(
            policy, f'the store "{store}" takes only what the distiller pours; {door} is a direct write'
        )
