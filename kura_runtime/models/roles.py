"""The roles a model can play, and the mark that our own calls carry."""

from __future__ import annotations

from typing import Literal

Role = Literal["thinker", "brain", "scribe"]
ROLES: tuple[Role, ...] = ("thinker", "brain", "scribe")

# Stands in the system message of every call we make. An endpoint that keeps its sessions as journals would otherwise
# hand us our own prompts back as evidence: the pipeline would mine itself.
OWN_MARK = "kura-distill-session"
