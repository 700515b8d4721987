"""Write the generated parts of the docs: docs/config.md, docs/cli.md, and the graph and demo run of README.md.

python scripts/render_docs.py            write them
python scripts/render_docs.py --check    exit 1 and name the file where one is out of date (the demo run excepted:
                                         it holds timings)
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import types
import typing
from pathlib import Path

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

ROOT = Path(__file__).resolve().parents[1]


def config_reference() -> str:
    """One table for every section of kura.toml: key, type, default, meaning."""
    from kura_runtime.config import model

    lines = [
        "# kura.toml: every key",
        "",
        "Generated from the configuration models by `python scripts/render_docs.py`. An unknown key, a wrong type or a value",
        "out of range is refused at load, with the file, the key, the value and the way out. Every section below `[people]`",
        "and above it that is marked *per store* may be overridden as `[stores.NAME.SECTION]`.",
        "",
    ]
    for name, field in model.FileTable.model_fields.items():
        inner = _model_of(field.annotation)
        head = {"stores": "[stores.NAME]", "model_profiles": "[model_profiles.NAME]", "modes": "[modes]"}.get(
            name, f"[{name}]"
        )
        mark = " *(per store)*" if name in model.PER_STORE else ""
        lines += [f"## `{head}`{mark}", "", f"{field.description}.", ""]
        if name == "modes":
            lines += ["Each key is a mode name, each value the name of a store.", ""]
            continue
        if inner is not None:
            lines += _table(inner)
        if name in ("models", "model_profiles"):
            lines += ["Each of `thinker`, `brain`, `scribe` is a table:", "", *_table(model.ModelConfig)]
        if name == "payforward":
            lines += ["Each `[[payforward.mouths]]` entry:", "", *_table(model.MouthConfig)]
    return "\n".join(lines).rstrip() + "\n"


def _table(section: type[BaseModel]) -> list[str]:
    rows = ["| key | type | default | meaning |", "|---|---|---|---|"]
    for key, field in section.model_fields.items():
        default = "*required*" if field.default is PydanticUndefined else f"`{_value(field.default)}`"
        rows.append(f"| `{key}` | {_type(field.annotation)} | {default} | {field.description} |")
    return [*rows, ""]


def _value(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, BaseModel):
        return "see below"
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value).replace("'", '"')


def _type(annotation: object) -> str:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table"
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Literal:
        return " \\| ".join(f'`"{a}"`' for a in args)
    if origin is typing.Annotated:
        return _type(args[0])
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_type(a) for a in args if a is not type(None))
    if origin in (list, dict):
        return {"list": "list", "dict": "table"}[origin.__name__]
    return {"str": "text", "int": "whole number", "float": "number", "bool": "boolean"}.get(
        getattr(annotation, "__name__", ""), "any"
    )


def _model_of(annotation: object) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for arg in typing.get_args(annotation):
        found = _model_of(arg)
        if found:
            return found
    return None


def cli_reference() -> str:
    """Every command with the text of its --help, in the order of the app."""
    from typer.main import get_command

    from kura_runtime.cli.main import build_app

    root = get_command(build_app())
    lines = ["# The `kura` command", "", "Generated from `--help` by `python scripts/render_docs.py`.", "",
             "Exit codes: 0 did work or healthy; 1 failed, try again; 2 honestly nothing to do; 64 bad usage or configuration.", ""]  # fmt: skip
    for path in _paths(root, ()):
        shown = subprocess.run(
            [sys.executable, "-c", "from kura_runtime.cli.main import main; main()", *path, "--help"], text=True, check=True,
            capture_output=True, env={**os.environ, "COLUMNS": "100", "TERM": "dumb", "NO_COLOR": "1"},
        ).stdout  # fmt: skip
        lines += [
            f"## `kura {' '.join(path)}`",
            "",
            "```text",
            *(line.rstrip() for line in shown.strip().splitlines()),
            "```",
            "",
        ]
    return "\n".join(lines).rstrip() + "\n"


def _paths(command: typing.Any, prefix: tuple[str, ...]) -> list[tuple[str, ...]]:
    if hasattr(command, "commands"):
        itself = [prefix] if getattr(command, "invoke_without_command", False) and prefix else []
        return [*itself, *(p for name, sub in command.commands.items() for p in _paths(sub, (*prefix, name)))]
    return [prefix]


def asset_graph() -> str:
    """The asset graph of one store as a Mermaid drawing, read from the definitions themselves."""
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "kura.toml"
        config.write_text('[stores.maker]\npath = "maker"\n', encoding="utf-8")
        os.environ["KURA_CONFIG"] = str(config)
        from kura_pipeline.definitions import build_defs
        from kura_runtime.config.load import load

        graph = build_defs(load(config)).resolve_asset_graph()
    lines = ["```mermaid", "flowchart LR"]
    for key in graph.toposorted_asset_keys:
        node = graph.get(key)
        name = key.path[-1]
        batch = "one a batch" if node.is_partitioned else "one a store"
        lines.append(f'  {name}["{name}<br/><small>{batch}</small>"]')
        for check in sorted(c.name for c in node.check_keys):
            lines.append(f'  {name} -.- {name}_{check}(["check: {check}"])')
        lines += [f"  {parent.path[-1]} --> {name}" for parent in sorted(node.parent_keys)]
    return "\n".join([*lines, "```"])


def demo_run() -> str:
    """A real run of `kura demo`, as the terminal shows it."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-c", "from kura_runtime.cli.main import main; main()", "demo", "--dir", f"{folder}/demo"], text=True,
            capture_output=True, env={**os.environ, "COLUMNS": "110", "TERM": "dumb", "NO_COLOR": "1"}, check=False,
        )  # fmt: skip
        if done.returncode:
            raise SystemExit(f"kura demo ended with {done.returncode}:\n{done.stderr}")
        text = done.stdout.replace(folder, "~").rstrip()
    return "```text\n$ kura demo\n" + "\n".join(line.rstrip() for line in text.splitlines()) + "\n```"


def insert(text: str, name: str, block: str) -> str:
    """`text` with the part between the two markers of `name` replaced by `block`."""
    pattern = re.compile(rf"(<!-- {name}: generated -->\n).*?(\n<!-- /{name} -->)", re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"README.md lacks the markers of {name}")
    return pattern.sub(lambda m: m.group(1) + block + m.group(2), text)


def main() -> int:
    check = "--check" in sys.argv[1:]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    fresh = insert(readme, "asset-graph", asset_graph())
    if not check:
        fresh = insert(fresh, "demo", demo_run())
    wanted = {"docs/config.md": config_reference(), "docs/cli.md": cli_reference(), "README.md": fresh}
    stale = [
        n
        for n, text in wanted.items()
        if not (ROOT / n).exists() or (ROOT / n).read_text(encoding="utf-8") != text
    ]
    if check:
        for name in stale:
            sys.stderr.write(f"{name} is out of date; run `python scripts/render_docs.py`\n")
        return 1 if stale else 0
    for name in stale:
        (ROOT / name).write_text(wanted[name], encoding="utf-8")
        sys.stdout.write(f"wrote {name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
