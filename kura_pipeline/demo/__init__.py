"""Journals that ship with the package, for `kura demo`: two coding sessions and a folder of notes."""

from __future__ import annotations

import shutil
from importlib.resources import as_file, files
from pathlib import Path

_TOML = """\
# Written by `kura demo`.
[stores.demo]
path = "store"

[stores.demo.distill]
editor = "extractive"

[stores.demo.distill.journals]
claude = "journals/claude"
text = "journals/notes"
"""


def lay_out(folder: Path) -> Path:
    """Copy the shipped journals into `folder`, write a kura.toml beside them, and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    with as_file(files(__package__).joinpath("journals")) as shipped:
        shutil.copytree(shipped, folder / "journals")
    config = folder / "kura.toml"
    config.write_text(_TOML, encoding="utf-8")
    return config
