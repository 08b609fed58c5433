"""A client for OpenAI-compatible servers: Ollama, llama.cpp, vLLM, and hosted ones.

One total time limit holds over all tries, also against a server that sends a byte now and then. The key
is asked for at each request and stands in no message, log or repr; nor does anything of prompt or reply.
"""

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from atmem_core.chat.protocol import ChatPrompt, ChatReply
from atmem_core.chat.tries import Tries
from atmem_core.chat.wire import Structured, body_of, reply_of
from atmem_core.errors import ChatUnavailable, InvalidInput

if TYPE_CHECKING:
    import httpx

OLLAMA = "http://127.0.0.1:11434/v1"
_MOST_BYTES = 4 * 1024 * 1024
_OK = 200
_THIS_MACHINE = frozenset({"127.0.0.1", "localhost", "::1"})


class OpenAIChatModel:
    """``ChatModel`` and ``AsyncChatModel`` over HTTP. Safe for threads.

    Args:
        model: As the server calls it.
        base_url: Up to and with ``/v1``; Ollama on this machine by default.
        api_key: Asked at each request, so that a key can be changed; None sends none. Never a plain
            text: that would stand in the traceback of whoever passes it on.
        timeout_ms: For the whole call, all tries and pauses together.
        tries: How often at most. Again after 429, 5xx and a connection that broke, with growing pauses
            or as long as the server says.
        structured: Offer a tool, or ask for JSON by schema, for servers or models without tools:
            ``json_schema`` as OpenAI words it, ``json_object`` as llama-cpp-python's server does.
        headers: More headers.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str = OLLAMA,
        api_key: Callable[[], str | None] | None = None,
        timeout_ms: float = 60_000,
        tries: int = 3,
        structured: Structured = "tool",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise InvalidInput("base_url", f"must begin with http:// or https://, got {base_url!r}")
        if timeout_ms <= 0 or tries < 1:
            raise InvalidInput("timeout_ms", "must be above 0, and tries 1 or more")
        self._model = model
        self._url = base_url.rstrip("/") + "/chat/completions"
        self._api_key = api_key
        self._timeout_s = timeout_ms / 1000
        self._tries = tries
        self._structured: Structured = structured
        self._headers = dict(headers or {})
        # To read certificates takes longer than a local call, which needs none.
        self._encrypted = self._url.startswith("https:")
        # A proxy of the environment leads to no server of this machine.
        self._proxied = urlsplit(self._url).hostname not in _THIS_MACHINE

    @property
    def name(self) -> str:
        """Model and host."""
        return f"{self._model} at {self._url.split('/')[2].rpartition('@')[2]}"

    def complete(self, prompt: ChatPrompt) -> ChatReply:
        """One reply. Raises ChatUnavailable."""
        import httpx  # noqa: PLC0415 - a third of the time that importing the core takes

        with httpx.Client(trust_env=self._proxied, verify=self._encrypted) as client:
            tries = Tries(most=self._tries, timeout_s=self._timeout_s)
            while True:
                try:
                    return reply_of(self._post(client, prompt, tries))
                except httpx.HTTPError as error:
                    time.sleep(tries.pause(_broken(error)))
                except ChatUnavailable as error:
                    time.sleep(tries.pause(error))

    async def acomplete(self, prompt: ChatPrompt) -> ChatReply:
        """One reply, awaited. Raises ChatUnavailable; a cancellation ends the request."""
        import asyncio  # noqa: PLC0415 - a fifth of what the package imports; a sync program needs none

        import httpx  # noqa: PLC0415 - as above

        # Its certificates are read from disk.
        client = await asyncio.to_thread(httpx.AsyncClient, trust_env=self._proxied, verify=self._encrypted)
        async with client:
            tries = Tries(most=self._tries, timeout_s=self._timeout_s)
            while True:
                try:
                    return reply_of(await self._apost(client, prompt, tries))
                except httpx.HTTPError as error:
                    await asyncio.sleep(tries.pause(_broken(error)))
                except ChatUnavailable as error:
                    await asyncio.sleep(tries.pause(error))

    def _post(self, client: "httpx.Client", prompt: ChatPrompt, tries: Tries) -> bytes:
        body = body_of(prompt, model=self._model, structured=self._structured)
        got = bytearray()
        with client.stream(
            "POST", self._url, json=body, headers=self._head(), timeout=tries.left()
        ) as response:
            _refuse(response)
            for chunk in response.iter_bytes():
                _take(got, chunk, tries)
        return bytes(got)

    async def _apost(self, client: "httpx.AsyncClient", prompt: ChatPrompt, tries: Tries) -> bytes:
        body = body_of(prompt, model=self._model, structured=self._structured)
        got = bytearray()
        async with client.stream(
            "POST", self._url, json=body, headers=self._head(), timeout=tries.left()
        ) as response:
            _refuse(response)
            async for chunk in response.aiter_bytes():
                _take(got, chunk, tries)
        return bytes(got)

    def _head(self) -> dict[str, str]:
        key = None if self._api_key is None else self._api_key()
        return self._headers if not key else {**self._headers, "Authorization": f"Bearer {key}"}


def _take(got: bytearray, chunk: bytes, tries: Tries) -> None:
    got += chunk
    if len(got) > _MOST_BYTES:
        raise ChatUnavailable("too_long", f"the reply has more than {_MOST_BYTES} bytes")
    tries.left()


def _refuse(response: "httpx.Response") -> None:
    if response.status_code != _OK:
        said = ChatUnavailable(f"status_{response.status_code}", "the server refused; see its log")
        said.retry_after = response.headers.get("Retry-After", "")
        raise said


def _broken(error: "httpx.HTTPError") -> ChatUnavailable:
    timed_out = "Timeout" in type(error).__name__
    reason = "timeout" if timed_out else "transport"
    return ChatUnavailable(reason, f"no reply from the server ({type(error).__name__}); is it running?")
