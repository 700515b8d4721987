"""The `kura` command: one typer app, to which every installed package may register commands.

Exit codes: 0 did work or healthy; 1 failed, try again; 2 honestly nothing to do; 64 bad usage or configuration.
"""

from __future__ import annotations

import logging
import os
import sys
from importlib.metadata import entry_points

import typer
from typer.main import get_command

from kura_runtime.cli import drafts, hooks, proposals, reading, serve, stores, streams, usage, writing
from kura_runtime.errors import KuraError

USAGE, FAILED = 64, 1
DEBUG_ENV = "KURA_DEBUG"
# typer raises it for unknown commands, options and bad values
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def build_app() -> typer.Typer:
    """The whole command tree: the runtime's own commands, then whatever registers under `kura.commands`."""
    app = typer.Typer(
        name="kura",
        help="Long-term memory for AI agents: distilled, not accumulated; every write gated by evidence.",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    for room in (reading, writing, stores, drafts, proposals, serve, hooks):
        room.register(app)
    for entry in sorted(entry_points(group="kura.commands"), key=lambda e: e.name):
        entry.load()(app)
    return app


def run(argv: list[str] | None = None) -> int:
    """Run one command line and return its exit code. Errors are one clear line on stderr."""
    logging.basicConfig(level=logging.WARNING, format="kura: %(levelname)s: %(message)s", stream=sys.stderr)
    try:
        result = get_command(build_app()).main(args=argv, prog_name="kura", standalone_mode=False)
    except _UsageError as error:
        if usage.is_plea_for_help(error):
            sys.stderr.write(usage.help_of(error) + "\n")
            return USAGE
        return _say(usage.explain(error), USAGE)
    except typer.Abort:
        return _say("stopped", 130)
    except KeyboardInterrupt:
        return _say("stopped", 130)
    except KuraError as error:
        return _say(str(error), error.exit_code)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _say(f"{where}{error.strerror or error}", FAILED)
    except Exception as error:
        if os.environ.get(DEBUG_ENV):
            raise
        return _say(
            f"unexpected {type(error).__name__}: {error} (a fault of ours; {DEBUG_ENV}=1 shows where)", FAILED
        )
    return result if isinstance(result, int) else 0


def main() -> None:
    """Entry point of the console script."""
    streams.prepare()
    code = run()
    lost = streams.settle()
    if lost:
        code = _say(f"standard output: {lost}; the answer is not whole", FAILED if code in (0, 2) else code)
    sys.exit(code)


def _say(message: str, code: int) -> int:
    for line in message.splitlines() or [""]:
        sys.stderr.write(f"kura: {line}\n")
    return code
