"""The endpoint client against a real socket: what it sends, what it retries, what it calls a failure."""

from __future__ import annotations

import asyncio
import logging
import socket
import threading
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from kura_runtime.errors import ConfigError, ModelUnavailable
from kura_runtime.models.dialect import Parameters, Shape
from kura_runtime.models.endpoint import ChatEndpoint, is_loopback
from kura_runtime.models.failures import ModelFailure
from kura_runtime.models.wire import Line, line_of
from tests.scripted_model import Reply, ScriptedModel, say, status

ASK = [{"role": "user", "content": "what is kept?"}]


def endpoint(model: ScriptedModel, **more):
    waits: list[float] = []
    more.setdefault("timeout", 5.0)
    more.setdefault("jitter", lambda: 0.0)
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


# -- connections, pauses and retries ---------------------------------------------------------------------------------


def test_many_calls_of_many_users_share_connections():
    with ScriptedModel(lambda _: say("ok")) as model:
        line = Line()
        for _ in range(5):
            assert endpoint(model, line=line)[0].complete(ASK).text == "ok"
        assert len(model.peers) == 1, "five calls of five users of one line, one connection"
        line.close()


def test_the_refusal_of_a_full_body_is_remembered_for_every_user_of_the_endpoint():
    def strict(request):
        return say("ok") if set(request) <= {"model", "messages"} else status(400, "bad request")

    with ScriptedModel(strict) as model:
        url = f"{model.url}/chat/completions"
        for _ in range(2):
            made = ChatEndpoint(role="brain", url=model.url, model="one", line=line_of(url, "one"), timeout=5)
            assert made.complete(ASK).text == "ok"
        assert len(model.requests) == 3
        assert line_of(url, "two").plain is None, "another model of the same server may know the fields"


def test_an_http_date_is_waited_for():
    at = datetime.now(UTC) + timedelta(seconds=30)
    replies = [status(429, "slow down", Retry_After=format_datetime(at, usegmt=True)), say("ok")]
    with ScriptedModel(lambda _: replies.pop(0)) as model:
        made, waits = endpoint(model)
        assert made.complete(ASK).text == "ok"
    assert 20 < waits[0] <= 30


@pytest.mark.parametrize("value", ["soon", "nan", "", "Thu, 99 Foo 2026"])
def test_a_retry_after_that_says_nothing_is_a_plain_pause(value):
    replies = [status(503, "busy", Retry_After=value), say("ok")]
    with ScriptedModel(lambda _: replies.pop(0)) as model:
        made, waits = endpoint(model)
        assert made.complete(ASK).text == "ok"
    assert waits == [0.5]


def test_pauses_differ_between_callers_and_are_never_shorter_than_asked_for():
    replies = [status(500), status(429, "slow", Retry_After="7"), say("ok")]
    with ScriptedModel(lambda _: replies.pop(0)) as model:
        made, waits = endpoint(model, jitter=lambda: 1.0)
        made.complete(ASK)
    assert waits == [0.75, 7.25]


def test_the_pauses_of_one_call_are_bounded_together():
    failure, model, waits = failure_of(lambda _: status(429, "slow", Retry_After="40"))
    assert (failure.status, waits, len(model.requests)) == (429, [40.0], 2)


def test_an_endpoint_that_is_down_is_not_asked_four_times_for_every_item():
    line = Line()
    with ScriptedModel(lambda _: status(503)) as model:
        for _ in range(10):
            with pytest.raises(ModelFailure):
                endpoint(model, line=line)[0].complete(ASK)
        assert len(model.requests) == 10 + 20, "ten calls, and the twenty retries that were in hand"
        model.script = lambda _: say("ok")
        for _ in range(10):
            endpoint(model, line=line)[0].complete(ASK)
        assert line.retries == pytest.approx(2.0), "answers earn them back"


# -- dropping a call -------------------------------------------------------------------------------------------------


class Back(Exception):
    """The human is back."""


def test_a_call_is_dropped_while_the_model_thinks():
    reached, never = threading.Event(), threading.Event()

    def hang(_):
        reached.set()
        never.wait(60)
        return say("too late")

    def look():
        if reached.is_set():
            raise Back

    with ScriptedModel(hang, parallel=True) as model:
        with pytest.raises(Back):
            endpoint(model, timeout=60)[0].complete(ASK, watch=look)
        assert not never.is_set(), "nobody waited for the answer"
        never.set()


def test_a_pause_between_tries_can_be_dropped_too():
    with ScriptedModel(lambda _: status(503, "busy", Retry_After="50")) as model:
        made = ChatEndpoint(role="brain", url=model.url, model="m", timeout=5)

        def look():
            if model.requests:
                raise Back

        with pytest.raises(Back):
            made.complete(ASK, watch=look)
        assert len(model.requests) == 1


def test_the_async_client_answers_side_by_side_and_a_cancelled_task_drops_its_call():
    never, reached = threading.Event(), threading.Event()

    def script(request):
        if request["messages"][0]["content"] == "hang":
            reached.set()
            never.wait(60)
        return say(request["messages"][0]["content"])

    async def both(made):
        words = [made.acomplete([{"role": "user", "content": w}]) for w in ("a", "b", "c")]
        assert [d.text for d in await asyncio.gather(*words)] == ["a", "b", "c"]
        task = asyncio.create_task(made.acomplete([{"role": "user", "content": "hang"}]))
        await asyncio.to_thread(reached.wait, 30)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    with ScriptedModel(script, parallel=True) as model:
        asyncio.run(both(endpoint(model, timeout=60)[0]))
        assert not never.is_set()
        never.set()


def test_a_failure_of_the_async_client_has_its_kind():
    with ScriptedModel(lambda _: say("")) as model, pytest.raises(ModelFailure) as caught:
        asyncio.run(endpoint(model)[0].acomplete(ASK))
    assert caught.value.kind == "empty"


# -- structured answers, usage and timings ---------------------------------------------------------------------------

LIST = Shape("items", {"type": "array", "items": {"type": "object"}})


def test_a_shape_is_asked_for_where_the_dialect_has_a_way_to():
    with ScriptedModel(lambda _: say("[]")) as model:
        for dialect in ("vllm", "openai", "generic"):
            endpoint(model, parameters=Parameters(dialect=dialect).shaped(LIST))[0].complete(ASK)
        endpoint(model, parameters=Parameters(structured=False).shaped(LIST))[0].complete(ASK)
    vllm, openai, generic, off = (r.get("response_format") for r in model.requests)
    assert vllm["json_schema"]["schema"] == LIST.schema
    assert openai["json_schema"]["schema"]["properties"]["items"] == LIST.schema, (
        "that one takes objects only"
    )
    assert generic is off is None


def test_a_shape_belongs_to_what_was_asked():
    assert Parameters().as_dict() != Parameters().shaped(LIST).as_dict()
    assert Parameters(dialect="generic").as_dict() == Parameters(dialect="generic").shaped(LIST).as_dict()


def test_an_endpoint_without_structured_answers_is_asked_without_them():
    def strict(request):
        return status(400, "response_format is not supported") if "response_format" in request else say("[]")

    with ScriptedModel(strict) as model:
        made, _ = endpoint(model, parameters=Parameters().shaped(LIST))
        assert [made.complete(ASK).text, made.complete(ASK).text] == ["[]", "[]"]
    assert len(model.requests) == 3
    assert model.requests[1]["max_tokens"] == 4096


@pytest.mark.parametrize(
    ("more", "cached"),
    [
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 7}}}, 7),
        ({"usage": {"prompt_tokens": 9, "prompt_cache_hit_tokens": 6}}, 6),
        (
            {
                "usage": {"prompt_tokens": 9},
                "timings": {"cache_n": 5, "prompt_ms": 1500.0, "predicted_ms": 250},
            },
            5,
        ),
        ({"usage": {"prompt_tokens": 9, "prompt_tokens_details": "none", "total_tokens": True}}, None),
    ],
)
def test_cached_tokens_are_counted_where_the_endpoint_states_them(more, cached):
    with ScriptedModel(lambda _: say("ok", **more)) as model:
        done = endpoint(model)[0].complete(ASK)
    assert (done.usage["prompt_tokens"], done.usage.get("cached_tokens")) == (9, cached)
    assert "total_tokens" not in done.usage
    if "timings" in more:
        assert (done.timings["prompt"], done.timings["answer"]) == (1.5, 0.25)


def test_a_silence_that_was_paid_for_keeps_its_price():
    failure, _, _ = failure_of(lambda _: say("", reasoning="long thoughts", finish="length"))
    assert (failure.usage["completion_tokens"], failure.finish) == (10, "length")
