"""One HTTP server that embeds: limits of time and size, tries with growing pauses, one kind of error.

No message holds a text that was sent, an answer or a key. A proxy of the environment is passed over for
servers of this machine.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from atmem_core.chat.tries import Tries
from atmem_core.errors import ChatUnavailable, EmbeddingUnavailable, InvalidInput

if TYPE_CHECKING:
    import httpx

_OK = 200
_MOST_BYTES = 64 * 1024 * 1024
_THIS_MACHINE = frozenset({"127.0.0.1", "localhost", "::1"})
_TRIES = 3


class Server:
    """Asked with JSON, answers with JSON.

    Args:
        url: Up to the paths that are asked for.
        timeout_ms: For one call, all tries and pauses together.
        api_key: Asked at each request; None, or a function that gives None, sends none.
    """

    def __init__(
        self, url: str, *, timeout_ms: float, api_key: Callable[[], str | None] | None = None
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise InvalidInput("base_url", f"must begin with http:// or https://, got {url!r}")
        if timeout_ms <= 0:
            raise InvalidInput("timeout_ms", f"must be above 0, got {timeout_ms!r}")
        self._url = url.rstrip("/")
        self._timeout_s = timeout_ms / 1000
        self._api_key = api_key
        self._here = urlsplit(self._url).hostname in _THIS_MACHINE

    @property
    def host(self) -> str:
        """Name and port, without what may stand before them."""
        return urlsplit(self._url).netloc.rpartition("@")[2]

    def get(self, path: str) -> Any:  # noqa: ANN401 - whatever JSON came
        """The answer to a GET. Raises EmbeddingUnavailable."""
        return self._asked("GET", path, None)

    def post(self, path: str, body: Mapping[str, object]) -> Any:  # noqa: ANN401 - as above
        """The answer to a POST. Raises EmbeddingUnavailable."""
        return self._asked("POST", path, body)

    def lines(self, path: str, body: Mapping[str, object]) -> Iterator[Mapping[str, Any]]:
        """What a long POST sends line by line. Tried once, with the time limit between two lines."""
        import httpx  # noqa: PLC0415 - a third of the time that importing the core takes

        try:
            with (
                self._client() as client,
                client.stream(
                    "POST", self._url + path, json=body, headers=self._head(), timeout=self._timeout_s
                ) as response,
            ):
                _refuse(response)
                for line in response.iter_lines():
                    if line.strip():
                        yield _parsed(line.encode())
        except httpx.HTTPError as error:
            raise _as_ours(_broken(error)) from None
        except ChatUnavailable as error:
            raise _as_ours(error) from None

    def _asked(self, method: str, path: str, body: Mapping[str, object] | None) -> Any:  # noqa: ANN401
        import httpx  # noqa: PLC0415 - as above

        tries = Tries(most=_TRIES, timeout_s=self._timeout_s)
        with self._client() as client:
            while True:
                try:
                    return _parsed(self._once(client, method, path, body=body, tries=tries))
                except httpx.HTTPError as error:
                    failure = _broken(error)
                except ChatUnavailable as error:
                    failure = error
                try:
                    wait = tries.pause(failure)
                except ChatUnavailable as error:
                    raise _as_ours(error) from None
                time.sleep(wait)

    def _once(
        self,
        client: "httpx.Client",
        method: str,
        path: str,
        *,
        body: Mapping[str, object] | None,
        tries: Tries,
    ) -> bytes:
        got = bytearray()
        with client.stream(
            method, self._url + path, json=body, headers=self._head(), timeout=tries.left()
        ) as response:
            _refuse(response)
            for chunk in response.iter_bytes():
                got += chunk
                if len(got) > _MOST_BYTES:
                    raise ChatUnavailable("too_long", f"the answer has more than {_MOST_BYTES} bytes")
                tries.left()
        return bytes(got)

    def _client(self) -> "httpx.Client":
        import httpx  # noqa: PLC0415 - as above

        # To read certificates takes longer than a local call, which needs none.
        return httpx.Client(trust_env=not self._here, verify=self._url.startswith("https:"))

    def _head(self) -> dict[str, str]:
        key = None if self._api_key is None else self._api_key()
        return {"Authorization": f"Bearer {key}"} if key else {}


def _refuse(response: "httpx.Response") -> None:
    if response.status_code != _OK:
        said = ChatUnavailable(f"status_{response.status_code}", "the server refused; see its log")
        said.retry_after = response.headers.get("Retry-After", "")
        raise said


def _broken(error: "httpx.HTTPError") -> ChatUnavailable:
    reason = "timeout" if "Timeout" in type(error).__name__ else "transport"
    return ChatUnavailable(reason, f"no answer from the server ({type(error).__name__}); is it running?")


def _as_ours(error: ChatUnavailable) -> EmbeddingUnavailable:
    # Without the other error's own beginning.
    return EmbeddingUnavailable(error.reason, str(error).partition(": ")[2])


def _parsed(data: bytes) -> Any:  # noqa: ANN401 - whatever JSON came
    try:
        return json.loads(data)
    except ValueError:
        raise EmbeddingUnavailable("bad_shape", "the answer is no JSON") from None
