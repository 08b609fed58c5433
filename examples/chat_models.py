"""Chat models for the examples: one offline, one for any OpenAI-compatible endpoint."""

import os
import re

import httpx
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult

_NOTE = re.compile(r"^- \[(?P<head>[^\]]*)\] (?P<text>.*)$", re.MULTILINE)
_ROLES = {"human": "user", "ai": "assistant", "system": "system", "tool": "tool"}
_TIMEOUT_S = 120


class ScriptedModel(BaseChatModel):
    """Answers with the first recalled note, or says that it remembers nothing. Offline, instant."""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: object, **_options: object) -> "ScriptedModel":
        """The script calls no tools."""
        return self

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: object = None,
        run_manager: object = None,
        **_: object,
    ) -> ChatResult:
        found = _NOTE.search("\n".join(str(message.text) for message in messages))
        told = f"I remember: {found['text']}" if found else "I have no memory of that."
        return ChatResult(generations=[ChatGeneration(message=AIMessage(told))])


class EndpointModel(BaseChatModel):
    """``/chat/completions`` of a server that speaks OpenAI's format; key in OPENAI_API_KEY."""

    base_url: str
    """Such as ``http://localhost:11434/v1``."""
    model: str

    @property
    def _llm_type(self) -> str:
        return "endpoint"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: object = None,
        run_manager: object = None,
        **_: object,
    ) -> ChatResult:
        key = os.environ.get("OPENAI_API_KEY")
        answer = httpx.post(
            f"{self.base_url.rstrip('/')}/chat/completions",
            timeout=_TIMEOUT_S,
            headers={"Authorization": f"Bearer {key}"} if key else {},
            json={
                "model": self.model,
                "messages": [
                    {"role": _ROLES[message.type], "content": str(message.text)} for message in messages
                ],
            },
        )
        answer.raise_for_status()
        told = answer.json()["choices"][0]["message"]["content"] or ""
        return ChatResult(generations=[ChatGeneration(message=AIMessage(told))])


def chat_model(base_url: str | None, model: str) -> BaseChatModel:
    """The endpoint's model when there is a URL, else the scripted one."""
    return ScriptedModel() if base_url is None else EndpointModel(base_url=base_url, model=model)
