"""The endpoint client against a real socket: what it sends, what it retries, what it calls a failure."""

from __future__ import annotations

import logging
import socket

import pytest

from kura_runtime.errors import ConfigError, ModelUnavailable
from kura_runtime.models.dialect import Parameters
from kura_runtime.models.endpoint import ChatEndpoint, is_loopback
from kura_runtime.models.failures import ModelFailure
from tests.scripted_model import Reply, ScriptedModel, say, status

ASK = [{"role": "user", "content": "what is kept?"}]


def endpoint(model: ScriptedModel, **more):
    waits: list[float] = []
    more.setdefault("timeout", 5.0)
    made = ChatEndpoint(role="scribe", url=model.url, model="tiny", sleep=waits.append, **more)
    return made, waits


def failure_of(script, **more) -> tuple[ModelFailure, ScriptedModel, list[float]]:
    with ScriptedModel(script) as model:
        made, waits = endpoint(model, **more)
        with pytest.raises(ModelUnavailable) as caught:
            made.complete(ASK)
        made.close()
    assert isinstance(caught.value, ModelFailure)
    return caught.value, model, waits


def test_an_answer_comes_with_usage_finish_and_reasoning_apart():
    with ScriptedModel(lambda _: say("kept", reasoning="hm")) as model:
        done = endpoint(model)[0].complete(ASK)
    assert (done.text, done.reasoning, done.finish) == ("kept", "hm", "stop")
    assert done.usage["prompt_tokens"] == 100
    assert done.timings["total"] >= 0


@pytest.mark.parametrize(
    ("content", "answer", "thought"),
    [
        ("<think>first\nsecond</think>\n答え", "答え", "first\nsecond"),
        ("no opening tag</think>answer", "answer", "no opening tag"),
        ("a <think> in the middle is text", "a <think> in the middle is text", ""),
    ],
)
def test_think_tags_are_reasoning_and_not_answer(content, answer, thought):
    with ScriptedModel(lambda _: say(content)) as model:
        done = endpoint(model)[0].complete(ASK)
    assert (done.text, done.reasoning) == (answer, thought)


def test_vllm_sends_every_effort_dialect_at_once():
    with ScriptedModel(lambda _: say("ok")) as model:
        endpoint(model, parameters=Parameters(effort="low"))[0].complete(ASK)
        endpoint(model)[0].complete(ASK)
    low, none = model.requests
    assert low["reasoning_effort"] == low["thinking_effort"] == "low"
    assert low["chat_template_kwargs"]["enable_thinking"] is True
    assert none["reasoning_effort"] == "none"
    assert none["chat_template_kwargs"]["enable_thinking"] is none["enable_thinking"] is False


@pytest.mark.parametrize("dialect", ["openai", "generic"])
def test_other_dialects_send_no_template_fields(dialect):
    with ScriptedModel(lambda _: say("ok")) as model:
        endpoint(model, parameters=Parameters(dialect=dialect))[0].complete(ASK)
    assert not {"chat_template_kwargs", "thinking_effort", "enable_thinking"} & set(model.requests[0])


def test_a_400_is_tried_once_more_with_a_minimal_body_which_then_stays():
    def strict(request):
        extra = set(request) - {"model", "messages", "max_tokens"}
        return status(400, f"unknown fields {sorted(extra)}") if extra else say("ok")

    with ScriptedModel(strict) as model:
        made, waits = endpoint(model)
        assert made.complete(ASK).text == "ok"
        assert made.complete(ASK).text == "ok"
    assert len(model.requests) == 3, "the second call does not pay for the refusal again"
    assert model.requests[1]["max_tokens"] == 4096, (
        "the length cap was not what the endpoint complained about"
    )
    assert waits == []


def test_a_vague_400_leaves_only_model_and_messages():
    def strict(request):
        return say("ok") if set(request) == {"model", "messages"} else status(400, "bad request")

    with ScriptedModel(strict) as model:
        assert endpoint(model)[0].complete(ASK).text == "ok"


def test_a_second_400_is_a_failure_and_not_a_loop():
    failure, model, _ = failure_of(lambda _: status(400, "never"))
    assert (failure.kind, failure.status, len(model.requests)) == ("http", 400, 2)


def test_429_waits_as_long_as_the_endpoint_says():
    replies = [status(429, "slow down", Retry_After="7"), say("ok")]
    with ScriptedModel(lambda _: replies.pop(0)) as model:
        made, waits = endpoint(model)
        assert made.complete(ASK).text == "ok"
    assert waits == [7.0]


def test_a_retry_after_of_hours_is_an_outage_now():
    failure, model, waits = failure_of(lambda _: status(429, "quota", Retry_After="86400"))
    assert (failure.kind, failure.status, len(model.requests), waits) == ("http", 429, 1, [])


def test_500_is_retried_with_growing_pauses_and_then_given_up():
    failure, model, waits = failure_of(lambda _: status(500, "oops"))
    assert (failure.kind, failure.status, len(model.requests)) == ("http", 500, 4)
    assert waits == [0.5, 1.0, 2.0]


@pytest.mark.parametrize("code", [401, 403, 404, 422])
def test_what_will_not_pass_is_not_retried(code):
    failure, model, _ = failure_of(lambda _: status(code, "no"))
    assert (failure.kind, failure.status, len(model.requests)) == ("http", code, 1)


def test_a_broken_connection_is_retried():
    replies = [say("half", hang_up=True), say("whole")]
    with ScriptedModel(lambda _: replies.pop(0)) as model:
        made, waits = endpoint(model)
        assert made.complete(ASK).text == "whole"
    assert waits == [0.5]


def test_nobody_listening_is_unreachable():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    made = ChatEndpoint(role="brain", url=f"http://127.0.0.1:{port}/v1", model="m", sleep=lambda _: None)
    with pytest.raises(ModelUnavailable) as caught:
        made.complete(ASK)
    assert caught.value.kind == "unreachable"


def test_an_answer_that_drips_for_ever_is_a_timeout_and_not_asked_again():
    failure, model, _ = failure_of(lambda _: say("x" * 500, drip=0.02), timeout=0.3)
    assert (failure.kind, len(model.requests)) == ("timeout", 1)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (say(""), "empty"),
        (say(None), "empty"),
        (say("  \n"), "empty"),
        (say("", reasoning="thinking, thinking"), "reasoning-only"),
        (say("<think>and then the budget was over", finish="length"), "reasoning-only"),
        (say("", finish="length"), "truncated"),
        (Reply(body=b"<html>gateway</html>"), "malformed"),
        (Reply(body=b'{"choices": []}'), "malformed"),
        (Reply(body=b'{"choices": [{"message": "text"}]}'), "malformed"),
        (Reply(body=b"[1, 2]"), "malformed"),
        (Reply(body=b"[" * 100_000), "malformed"),
    ],
)
def test_every_silence_keeps_its_kind(reply, kind):
    failure, _, _ = failure_of(lambda _: reply)
    assert failure.kind == kind


def test_a_cut_answer_is_an_answer_that_says_so():
    with ScriptedModel(lambda _: say('[{"a": 1}, {"b', finish="length")) as model:
        assert endpoint(model)[0].complete(ASK).truncated


def test_the_key_comes_from_its_variable_and_shows_up_nowhere(monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SCRIBE_KEY", "sk-very-secret-1234")
    failure, model, _ = failure_of(
        lambda _: status(401, "bad key sk-very-secret-1234"), api_key_env="SCRIBE_KEY"
    )
    assert model.headers[0]["authorization"] == "Bearer sk-very-secret-1234"
    assert "sk-very-secret-1234" not in str(failure)
    assert "sk-very-secret-1234" not in caplog.text


def test_a_key_variable_that_is_not_set_is_a_clear_error(monkeypatch):
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    with pytest.raises(ConfigError, match="NO_SUCH_KEY"):
        ChatEndpoint(role="scribe", url="http://127.0.0.1:1/v1", model="m", api_key_env="NO_SUCH_KEY")


def test_a_proxy_of_the_environment_is_not_asked_for_a_model_on_this_machine(monkeypatch):
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with ScriptedModel(lambda _: say("direct")) as model:
        assert endpoint(model)[0].complete(ASK).text == "direct"


@pytest.mark.parametrize(
    ("host", "yes"), [("localhost", True), ("127.8.9.1", True), ("::1", True), ("example.org", False)]
)
def test_loopback(host, yes):
    assert is_loopback(host) is yes


def test_the_identity_names_no_credentials():
    made = ChatEndpoint(role="brain", url="https://user:pw@models.example/v1?token=t", model="big")
    assert made.identity == "big@https://models.example/v1"
