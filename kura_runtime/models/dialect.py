"""What is sent to an endpoint, by dialect. Nobody agrees on how to ask a model for less (or more) thinking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from kura_runtime.domain.call import Message

Dialect = Literal["vllm", "openai", "generic"]
_OFF = ("none", "off", "false", "no", "")


@dataclass(frozen=True, slots=True)
class Shape:
    """The form an answer is held to where the endpoint can do so: a name and a JSON schema. It spares broken JSON and says
    nothing about truth; what comes back is read with the same distrust."""

    name: str
    schema: Mapping[str, Any] = field(hash=False)


@dataclass(frozen=True, slots=True)
class Task:
    """What a call is about: the name and version of its prompt, for the record, and the form of its answer."""

    name: str
    version: str = ""
    shape: Shape | None = None

    @property
    def prompt(self) -> str:
        """Name and version in one word."""
        return f"{self.name} {self.version}".strip()


@dataclass(frozen=True, slots=True)
class Parameters:
    """What may change an answer, and so belongs to the key of a call. `effort` is the reasoning effort in the endpoint's
    own words; "none" asks a thinking model to answer at once. `structured` False sends no `shape` at all. `prompt` names
    the task, for the record; the endpoint never sees it."""

    max_tokens: int = 4096
    temperature: float = 0.0
    effort: str = "none"
    dialect: Dialect = "vllm"
    shape: Shape | None = None
    structured: bool = True
    prompt: str = ""

    def shaped(self, shape: Shape | None) -> Parameters:
        """The same with a form for the answer, where this dialect has a way to ask for one."""
        offered = self.structured and self.dialect in ("vllm", "openai")
        return replace(self, shape=shape) if shape is not None and offered else self

    def for_task(self, task: Task | None) -> Parameters:
        """The same for a task."""
        return self if task is None else replace(self.shaped(task.shape), prompt=task.prompt)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for the ledger and the call's key."""
        values: dict[str, Any] = {
            "max_tokens": self.max_tokens,
            "temperature": float(self.temperature),
            "effort": self.effort,
            "dialect": self.dialect,
        }
        if self.shape is not None:
            values["shape"] = {"name": self.shape.name, "schema": dict(self.shape.schema)}
        if self.prompt:
            values["prompt"] = self.prompt
        return values


def full_body(model: str, messages: Sequence[Message], parameters: Parameters) -> dict[str, Any]:
    """The request body of the dialect. `vllm` sends every effort dialect at once: chat templates ignore what they do not
    know, and a model left to think by default may spend its whole budget on it and say nothing."""
    body = _base(model, messages)
    thinks = parameters.effort.lower() not in _OFF
    if parameters.shape is not None:
        body["response_format"] = _response_format(parameters.shape, parameters.dialect)
    if parameters.dialect == "openai":
        # the reasoning models of this dialect know neither max_tokens nor a temperature other than their own
        body["max_completion_tokens"] = parameters.max_tokens
        if thinks:
            body["reasoning_effort"] = parameters.effort
        else:
            body["temperature"] = parameters.temperature
        return body
    body["max_tokens"] = parameters.max_tokens
    body["temperature"] = parameters.temperature
    if parameters.dialect == "vllm":
        effort = parameters.effort or "none"
        body["reasoning_effort"] = effort
        body["thinking_effort"] = effort
        body["enable_thinking"] = thinks
        body["chat_template_kwargs"] = {
            "enable_thinking": thinks,
            "thinking": thinks,
            "reasoning_effort": effort,
            "thinking_effort": effort,
        }
    return body


def minimal_body(
    model: str, messages: Sequence[Message], parameters: Parameters, complaint: str
) -> dict[str, Any]:
    """What is tried once after a 400. The length cap stays only where the `complaint` (the endpoint's own words) is about
    another field by name: a vague complaint may well be about the cap."""
    body = _base(model, messages)
    full = full_body(model, messages, parameters)
    cap = "max_completion_tokens" if parameters.dialect == "openai" else "max_tokens"
    blamed = {name for name in full if name not in ("model", "messages", "stream") and name in complaint}
    if blamed and cap not in complaint:
        body[cap] = parameters.max_tokens
    return body


def _response_format(shape: Shape, dialect: Dialect) -> dict[str, Any]:
    """One field by which several servers take a JSON schema. The `openai` one takes objects only, so an array is sent
    inside one (`items`, which reading an answer unwraps)."""
    schema = dict(shape.schema)
    if dialect == "openai" and schema.get("type") != "object":
        schema = {
            "type": "object", "properties": {"items": schema}, "required": ["items"], "additionalProperties": False,
        }  # fmt: skip
    return {"type": "json_schema", "json_schema": {"name": shape.name, "schema": schema, "strict": True}}


def _base(model: str, messages: Sequence[Message]) -> dict[str, Any]:
    return {"model": model, "messages": [dict(m) for m in messages]}


def answer_of(payload: Mapping[str, Any]) -> tuple[str, str, str]:
    """(answer, reasoning, finish reason) of a chat completion. Raises ValueError where it has no choice with a message.

    Reasoning comes apart as a field of its own (two spellings are in use) or inside `<think>` tags; a closing tag alone
    means that the template opened it. A stated refusal is an answer: the model said no.
    """
    choices = payload.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ValueError("no choices")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise ValueError("no message in the first choice")
    text = _text(message.get("content")) or _text(message.get("refusal"))
    reasoning = _text(message.get("reasoning_content")) or _text(message.get("reasoning"))
    text, thought = split_thinking(text)
    finish = choices[0].get("finish_reason")
    return text.strip(), (reasoning or thought).strip(), finish if isinstance(finish, str) else ""


def split_thinking(text: str) -> tuple[str, str]:
    """(answer, reasoning) of a text that may begin with `<think>…</think>`; an unclosed tag is all reasoning."""
    head = text.lstrip()
    if head.startswith("<think>"):
        inside, closed, rest = head.removeprefix("<think>").partition("</think>")
        return (rest, inside) if closed else ("", inside)
    before, closed, rest = text.partition("</think>")
    if closed and "<think>" not in before:
        return rest, before
    return text, ""


def _text(content: Any) -> str:
    """Content as text: a string, or a list of typed parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = [p.get("text") for p in content if isinstance(p, dict)]
        return "".join(p for p in parts if isinstance(p, str))
    return ""


def usage_of(payload: Mapping[str, Any]) -> dict[str, int]:
    """Token counts by name; whatever is no whole number is left out. Counts that endpoints hide one level down, or call
    by other names, stand as `cached_tokens` (of the prompt, read from a cache) and `reasoning_tokens` (of the answer)."""
    usage = payload.get("usage")
    if not isinstance(usage, dict):
        return {}
    found = {k: v for k, v in usage.items() if _whole(v)}
    for name, inside in (
        ("cached_tokens", "prompt_tokens_details"),
        ("reasoning_tokens", "completion_tokens_details"),
    ):
        details = usage.get(inside)
        if isinstance(details, dict) and _whole(details.get(name)):
            found.setdefault(name, details[name])
    own = payload.get("timings")
    for value in (
        found.get("prompt_cache_hit_tokens"),
        own.get("cache_n") if isinstance(own, dict) else None,
    ):
        if isinstance(value, int) and _whole(value):
            found.setdefault("cached_tokens", value)
    return found


def timings_of(payload: Mapping[str, Any]) -> dict[str, float]:
    """Seconds that the endpoint itself measured, where it says so: `prompt` (reading) and `answer` (writing)."""
    own = payload.get("timings")
    if not isinstance(own, dict):
        return {}
    named = {"prompt": own.get("prompt_ms"), "answer": own.get("predicted_ms")}
    return {
        name: round(value / 1000, 3)
        for name, value in named.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e9
    }


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
