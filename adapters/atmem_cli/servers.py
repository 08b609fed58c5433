"""Chat models behind a server, as commands name them."""

import os
from functools import partial
from typing import Annotated

import typer

from atmem_core.chat import OpenAIChatModel

BaseUrl = Annotated[
    str,
    typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible server, up to and with /v1."),
]
KeyEnv = Annotated[
    str | None,
    typer.Option("--key-env", metavar="NAME", help="Environment variable that holds the server's key."),
]
OLLAMA = "http://127.0.0.1:11434/v1"


def server(model: str, base_url: str, key_env: str | None) -> OpenAIChatModel:
    """A client; the key is read from the environment at each request."""
    key = None if key_env is None else partial(os.environ.get, key_env)
    return OpenAIChatModel(model, base_url=base_url, api_key=key)
