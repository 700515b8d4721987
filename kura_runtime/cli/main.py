"""The `kura` command: one typer app, to which every installed package may register commands.

Exit codes: 0 did work or healthy; 1 failed, try again; 2 honestly nothing to do; 64 bad usage or configuration.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
from importlib.metadata import entry_points

import typer
from typer.main import get_command

from kura_runtime.cli import drafts, proposals, reading, stores, writing
from kura_runtime.errors import KuraError

USAGE, FAILED = 64, 1
DEBUG_ENV = "KURA_DEBUG"
_UsageError: type[Exception] = typer.BadParameter.__mro__[
    1
]  # typer raises it for unknown commands, options and bad values


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
    for room in (reading, writing, stores, drafts, proposals):
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
        context = getattr(error, "ctx", None)
        hint = f" (see `{context.command_path} --help`)" if context else ""
        return _say(f"{getattr(error, 'message', error)}{hint}", USAGE)
    except typer.Abort:
        return _say("stopped", 130)
    except KeyboardInterrupt:
        return _say("stopped", 130)
    except KuraError as error:
        return _say(str(error), error.exit_code)
    except BrokenPipeError:
        with contextlib.suppress(OSError):  # the reader of our output went away: nothing more to say to it
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
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
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    sys.exit(run())


def _say(message: str, code: int) -> int:
    for line in message.splitlines() or [""]:
        sys.stderr.write(f"kura: {line}\n")
    return code


def _words(error: Exception) -> str:
    """A usage error in its own words."""
    said = getattr(error, "format_message", None)
    return str(said() if said else error)
