"""The client against a stand-in server on loopback: replies, tries, limits, and what is never said."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable

import pytest
from blockbuster import blockbuster_ctx

from atmem_core.chat import ChatMessage, ChatPrompt, ChatReply, OpenAIChatModel, ToolCall, ToolSpec
from atmem_core.errors import ChatUnavailable, InvalidInput
from tests.chat.server import Answer, StandIn, called, said, standing_in

TOOL = ToolSpec(name="apply_memory_ops", description="Store.", parameters={"type": "object"})
PROMPT = ChatPrompt(messages=(ChatMessage(role="user", content="My dog is a Bernese."),), tool=TOOL)
BUSY = Answer(status=503)
Call = Callable[[OpenAIChatModel, ChatPrompt], Awaitable[ChatReply]]


async def in_thread(model: OpenAIChatModel, prompt: ChatPrompt) -> ChatReply:
    return await asyncio.to_thread(model.complete, prompt)


async def awaited(model: OpenAIChatModel, prompt: ChatPrompt) -> ChatReply:
    return await model.acomplete(prompt)


both = pytest.mark.parametrize("call", [in_thread, awaited])


def model_at(stand_in: StandIn, **settings: object) -> OpenAIChatModel:
    return OpenAIChatModel("tiny", base_url=stand_in.url, **settings)  # type: ignore[arg-type]


@both
async def test_a_text_comes_back(call: Call) -> None:
    with standing_in(said("nothing to store")) as stand_in:
        reply = await call(model_at(stand_in), PROMPT)
    assert reply == ChatReply(text="nothing to store", finish_reason="stop")


@both
async def test_a_tool_call_comes_back_as_it_was_written(call: Call) -> None:
    with standing_in(called('{"ops": [')) as stand_in:
        reply = await call(model_at(stand_in), PROMPT)
    assert reply.tool_calls == (ToolCall(name="apply_memory_ops", arguments='{"ops": ['),)


async def test_the_prompt_goes_out_with_one_tool() -> None:
    with standing_in(said("")) as stand_in:
        await awaited(model_at(stand_in), PROMPT)
    (body,) = stand_in.bodies
    assert (body["model"], body["max_tokens"], body["tool_choice"]) == ("tiny", 1024, "auto")
    assert body["messages"] == [{"role": "user", "content": "My dog is a Bernese."}]
    assert [one["function"]["name"] for one in body["tools"]] == ["apply_memory_ops"]


async def test_a_server_without_tools_gets_a_schema() -> None:
    with standing_in(said("{}")) as stand_in:
        await awaited(model_at(stand_in, structured="json_schema"), PROMPT)
    (body,) = stand_in.bodies
    assert "tools" not in body
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}


async def test_the_schema_stands_where_llama_cpp_looks_for_it() -> None:
    with standing_in(said("{}")) as stand_in:
        await awaited(model_at(stand_in, structured="json_object"), PROMPT)
    (body,) = stand_in.bodies
    assert body["response_format"] == {"type": "json_object", "schema": {"type": "object"}}


@both
@pytest.mark.parametrize("refusal", [BUSY, Answer(status=429, headers={"Retry-After": "0"})])
async def test_a_busy_server_is_asked_again(call: Call, refusal: Answer) -> None:
    with standing_in(refusal, said("now")) as stand_in:
        reply = await call(model_at(stand_in), PROMPT)
    assert (reply.text, len(stand_in.bodies)) == ("now", 2)


@both
async def test_it_is_asked_so_often_and_no_more(call: Call) -> None:
    with standing_in(BUSY) as stand_in:
        with pytest.raises(ChatUnavailable) as raised:
            await call(model_at(stand_in, tries=2), PROMPT)
        assert len(stand_in.bodies) == 2
    assert raised.value.reason == "status_503"


@both
async def test_what_wont_pass_by_itself_is_not_tried_again(call: Call) -> None:
    with standing_in(Answer(status=401)) as stand_in:
        with pytest.raises(ChatUnavailable) as raised:
            await call(model_at(stand_in), PROMPT)
        assert len(stand_in.bodies) == 1
    assert raised.value.reason == "status_401"


@both
async def test_a_wait_beyond_the_limit_is_not_begun(call: Call) -> None:
    with standing_in(Answer(status=429, headers={"Retry-After": "3600"})) as stand_in:
        began = time.monotonic()
        with pytest.raises(ChatUnavailable, match="status_429"):
            await call(model_at(stand_in, timeout_ms=5_000), PROMPT)
    assert time.monotonic() - began < 4


@both
@pytest.mark.parametrize("answer", [Answer(silent=True), Answer(drip=True)], ids=["silent", "drip"])
async def test_the_time_limit_holds_for_the_whole_call(call: Call, answer: Answer) -> None:
    with standing_in(answer) as stand_in:
        began = time.monotonic()
        with pytest.raises(ChatUnavailable) as raised:
            await call(model_at(stand_in, timeout_ms=300), PROMPT)
    assert raised.value.reason == "timeout"
    assert time.monotonic() - began < 3


@both
async def test_a_server_that_is_not_there_is_said(call: Call) -> None:
    with standing_in(said("")) as stand_in:
        gone = model_at(stand_in, tries=1)
    with pytest.raises(ChatUnavailable) as raised:
        await call(gone, PROMPT)
    assert raised.value.reason == "transport"


@both
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"[]",
        b"{}",
        b'{"choices": []}',
        b'{"choices": [{"message": "hi"}]}',
        b"\xff\xfe",
        b"[" * 9999,
    ],
)
async def test_a_body_of_another_shape_is_said_and_not_shown(call: Call, body: bytes) -> None:
    with standing_in(Answer(body=body)) as stand_in:
        with pytest.raises(ChatUnavailable) as raised:
            await call(model_at(stand_in), PROMPT)
        assert len(stand_in.bodies) == 1
    assert raised.value.reason == "bad_shape"
    assert "html" not in str(raised.value)


async def test_the_key_is_asked_for_at_each_request_and_never_shown() -> None:
    keys = iter(["sesame-1", "sesame-2"])
    with standing_in(Answer(status=500), Answer(status=403)) as stand_in:
        model = model_at(stand_in, api_key=lambda: next(keys))
        with pytest.raises(ChatUnavailable) as raised:
            await awaited(model, PROMPT)
    assert stand_in.keys == ["Bearer sesame-1", "Bearer sesame-2"]
    assert "sesame" not in f"{raised.value!r} {model!r} {model.name}"
    assert "Bernese" not in str(raised.value)


async def test_parts_and_objects_are_understood() -> None:
    message = {
        "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
        "tool_calls": [{"function": {"name": "apply_memory_ops", "arguments": {"ops": []}}}],
    }
    body = json.dumps({"choices": [{"message": message}]}).encode()
    with standing_in(Answer(body=body)) as stand_in:
        reply = await awaited(model_at(stand_in), PROMPT)
    assert reply.text == "ab"
    assert reply.tool_calls == (ToolCall(name="apply_memory_ops", arguments='{"ops": []}'),)


async def test_a_reply_without_end_is_cut_off() -> None:
    endless = Answer(body=b" " * (5 * 1024 * 1024))
    with standing_in(endless) as stand_in, pytest.raises(ChatUnavailable) as raised:
        await awaited(model_at(stand_in), PROMPT)
    assert raised.value.reason == "too_long"


async def test_awaiting_blocks_no_loop() -> None:
    with standing_in(BUSY, said("now")) as stand_in:
        model = model_at(stand_in)
        with blockbuster_ctx():
            assert (await model.acomplete(PROMPT)).text == "now"


@pytest.mark.parametrize("settings", [{"base_url": "127.0.0.1:1"}, {"timeout_ms": 0}, {"tries": 0}])
def test_what_cant_work_is_refused_at_once(settings: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        OpenAIChatModel("tiny", **settings)  # type: ignore[arg-type]


def test_a_name_holds_no_password() -> None:
    model = OpenAIChatModel("tiny", base_url="https://ada:sesame@example.com/v1")
    assert model.name == "tiny at example.com"
