"""A mistyped command line in one plain line: which option or argument, what was given, what it takes."""

from __future__ import annotations

import difflib
import re
from typing import Any


def explain(error: Exception) -> str:
    """One line that names the option or argument, its value and what it takes, and where its help stands."""
    context = getattr(error, "ctx", None)
    hint = f" (see `{context.command_path} --help`)" if context else ""
    return _said(error) + hint


def is_plea_for_help(error: Exception) -> bool:
    """Was a group of commands called without any of them? Its help is the answer then."""
    return type(error).__name__ == "NoArgsIsHelpError"


def help_of(error: Exception) -> str:
    """The help that answers such a call, as it stands."""
    return str(getattr(error, "message", error))


def _said(error: Exception) -> str:
    param = getattr(error, "param", None)
    message = str(getattr(error, "message", "") or "")
    if param is None:
        if surplus := re.match(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)$", message):
            return f'too many words, from "{surplus[1][:80]}" on; put those that belong together in quotation marks'
        if message == "Missing command.":
            context = getattr(error, "ctx", None)
            return "missing command: one of " + ", ".join(
                getattr(getattr(context, "command", None), "commands", ())
            )
        plain = message.rstrip(".") or str(error)
        return plain[:1].lower() + plain[1:] + _near(error)
    name = _name(param)
    if type(error).__name__ == "MissingParameter":
        kind = "argument" if param.param_type_name == "argument" else "option"
        about = getattr(param, "help", None)
        return f"missing {kind} {name}" + (f": {about}" if about else "")
    fault = _fault(error)
    given = f' "{str(fault["input"])[:80]}"' if "input" in fault else ""
    return f"{name}{given}: {_wanted(param, fault, message)}"


def _near(error: Exception) -> str:
    """The option that was probably meant."""
    typed, known = getattr(error, "option_name", ""), getattr(error, "possibilities", None) or ()
    close = difflib.get_close_matches(typed, list(known), n=1, cutoff=0.6)
    return f'; did you mean "{close[0]}"?' if close else ""


def _name(param: Any) -> str:
    """An option by its longest spelling, an argument by the name its help shows."""
    if param.param_type_name == "argument":
        return str(param.metavar or param.name.upper())
    return str(max(param.opts, key=len))


def _fault(error: Exception) -> dict[str, Any]:
    """What the checker found, where it keeps that: the kind of fault and the value given."""
    errors = getattr(error.__cause__, "errors", None)
    found = errors() if callable(errors) else []
    return dict(found[0]) if found else {}


def _wanted(param: Any, fault: dict[str, Any], message: str) -> str:
    low, high = _range(param)
    kind = str(fault.get("type", ""))
    number = "a whole number" if kind.startswith("int") or isinstance(low, int) else "a number"
    if low is not None and high is not None:
        return f"use {number} from {low} to {high}"
    if low is not None:
        return f"use {number}, {low} or more"
    if kind.startswith(("int", "float")):
        return f"use {number}"
    plain = message.removeprefix("Value error, ").rstrip(".")
    return plain[:1].lower() + plain[1:] or "this value cannot be used"


def _range(param: Any) -> tuple[Any, Any]:
    """The bounds of an option; older versions of the command library keep them on its type."""
    for place in (param, getattr(param, "type", None)):
        low, high = getattr(place, "min", None), getattr(place, "max", None)
        if low is not None or high is not None:
            return low, high
    return None, None
